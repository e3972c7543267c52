#!/bin/sh
# Create a virtual environment with shflbench, one extra and the development tools: setup.sh PYTHON FOLDER EXTRA
set -eu
python=$1 folder=$2 extra=$3

echo "Setting up $folder with the $extra extra; this happens once and takes a minute or two." >&2
rm -rf "$folder"
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".[$extra,dev]"
touch "$folder/ready" # only now: a set-up that was cut off starts over
