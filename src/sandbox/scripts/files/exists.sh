# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# exists.sh PATH WITHIN: prints yes or no. Follows symbolic links.
if [ ! -e "$path" ]; then
  echo no
  exit
fi
real=$(realpath -e -- "$path" && echo x)
inside "${real%?x}"
echo yes
