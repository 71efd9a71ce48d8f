# shellcheck shell=sh
# drop_upload.sh PATH WITHIN UPLOAD: removes the directory UPLOAD. Exit status 23: it is being imported.
upload=$1
exec 7<"${upload%/*}"
flock 7
if [ -d "$upload" ]; then flock --nonblock "$upload" rm -rf -- "$upload" || fail 23 "the upload is being imported"; fi
