#!/bin/sh
# Create a virtual environment with shflbench, one extra and the development tools: setup.sh PYTHON FOLDER EXTRA
set -eu
python=$1 folder=$2 extra=$3

echo "Setting up $folder with the $extra extra; this is done once and takes one to two minutes." >&2
rm -rf "$folder"
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".[$extra,dev]"
touch "$folder/ready" # last, so that an interrupted set-up starts again
