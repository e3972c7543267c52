from shflbench.cuda_sources.argument_types import meaning as meaning
from shflbench.cuda_sources.build_files import is_built_fast as is_built_fast
from shflbench.cuda_sources.build_files import program_words as program_words
from shflbench.cuda_sources.definitions import Definition as Definition
from shflbench.cuda_sources.definitions import kernels_in as kernels_in
from shflbench.cuda_sources.source_lines import SourceLine as SourceLine
