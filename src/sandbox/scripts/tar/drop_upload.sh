# shellcheck shell=sh
# drop_upload.sh PATH WITHIN UPLOAD: removes the directory UPLOAD, unless it is being imported: exit status 23.
upload=$1
exec 7<"${upload%/*}"
flock 7
if [ -d "$upload" ]; then flock --nonblock "$upload" rm -rf -- "$upload" || fail 23 "the upload is being imported"; fi
