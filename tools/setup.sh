#!/bin/sh
# Create a virtual environment with shflbench, one extra and the development tools: setup.sh PYTHON FOLDER EXTRA
set -eu
python=$1 folder=$2 extra=$3

echo "Setting up $folder with the $extra extra; this is done once and takes one to two minutes." >&2
rm -rf "$folder"
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    --constraint constraints.txt --editable ".[$extra,dev]"
# Not by pip, which uses one core and compiles the tests of packages as well, two fifths of their code. A file that is
# for another version of Python fails alone.
packages=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$folder/bin/python" -m compileall -qq -j 0 -x 'site-packages/.*/tests?/' "$packages" || true
touch "$folder/ready" # last, so that an interrupted set-up starts again
