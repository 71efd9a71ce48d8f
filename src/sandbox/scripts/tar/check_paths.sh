# shellcheck shell=sh # locate.sh has locate
# check_paths.sh PATH WITHIN NAME…: checks that each NAME below the directory PATH can be exported. Prints a dot before
# it checks a name: the number of dots says which one failed.
enter_directory
for name; do
  printf .
  locate "$name"
done
