# shellcheck shell=sh
# drop_upload.sh PATH WITHIN UPLOAD: removes the directory UPLOAD. Exit status 23: it is being imported.
upload=$1
exec 7<"${upload%/*}"
flock --wait 60 7 || fail 23 "another import is at work"
if [ -d "$upload" ]; then flock --nonblock "$upload" rm -rf -- "$upload" || fail 23 "the upload is being imported"; fi
