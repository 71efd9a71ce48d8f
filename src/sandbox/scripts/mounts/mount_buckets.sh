# shellcheck shell=sh
# mount_buckets.sh OWN URL [DIR BUCKET PREFIX MODE]…: mounts each bucket at DIR, unless one is mounted there already, and prints a
# line for each: "mounted", "unsupported WHY" or "failed WHY". URL is that of the gateway. PREFIX is empty or ends with a
# slash. MODE is ro or rw.
#
# The programs that serve the mounts run until the container ends. Their cache and logs are in OWN, which is in no
# snapshot; their credentials are placeholders.
set -u
own=$1/mounts url=$2
shift 2

program='' why=
if [ ! -c /dev/fuse ]; then
  why='the container has no /dev/fuse'
elif ! (: <>/dev/fuse) 2>/dev/null; then
  why='the container may not use /dev/fuse'
elif command -v s3fs >/dev/null; then
  # s3fs comes first: it has stored a file once the file is closed.
  program=s3fs
elif command -v rclone >/dev/null && { command -v fusermount3 || command -v fusermount; } >/dev/null; then
  program=rclone
else
  why='the image has neither s3fs, nor rclone with fusermount3'
fi
if [ -z "$program" ]; then
  while [ $# -ge 4 ]; do
    echo "unsupported $why"
    shift 4
  done
  exit
fi

[ -d "$own" ] || mkdir -m 700 -- "$own"
export HOME="$own"
cd /
# If several callers come at once, one of them mounts and the others wait.
exec 9>"$own/lock"
flock 9

# is_mounted DIR: whether a file system of FUSE is at DIR. A mount whose program has ended is removed. Status 2 if its
# program does not answer.
is_mounted() {
  said=$(timeout -k 1 10 stat -f -c %t -- "$1" 2>&1)
  case $?:$said in
    0:65735546) return 0 ;;
    124:* | 137:*) return 2 ;;
    *'not connected'*) umount -l -- "$1" 2>/dev/null || fusermount3 -u -z -- "$1" 2>/dev/null ;;
  esac
  return 1
}

# is_empty DIR: whether a mount at DIR hides nothing.
is_empty() {
  [ -z "$(ls -A -- "$1")" ] || { echo "$1 is not empty" >&2; return 1; }
}

with_rclone() {
  [ "$4" = rw ] || set -- "$@" --read-only
  dir=$1 from=mount:$2/${3%/}
  shift 4
  RCLONE_CONFIG=/dev/null RCLONE_CONFIG_MOUNT_TYPE=s3 RCLONE_CONFIG_MOUNT_PROVIDER=Cloudflare RCLONE_CONFIG_MOUNT_REGION=auto \
    RCLONE_CONFIG_MOUNT_ENDPOINT=$url RCLONE_CONFIG_MOUNT_ACCESS_KEY_ID=session RCLONE_CONFIG_MOUNT_SECRET_ACCESS_KEY=session \
    RCLONE_CONFIG_MOUNT_FORCE_PATH_STYLE=true RCLONE_CONFIG_MOUNT_NO_CHECK_BUCKET=true \
    timeout 30 rclone mount "$from" "$dir" --daemon --daemon-wait 20s --allow-other --cache-dir "$own/cache" \
    --vfs-cache-mode writes --vfs-write-back 0s --dir-cache-time 5s --log-file "$own/log" "$@" 9>&-
}

with_s3fs() {
  from=$2
  [ -z "$3" ] || from=$2:/${3%/}
  # Without ensure_diskfree, s3fs wants a tenth of the disk to be free.
  options=url=$url,use_path_request_style,endpoint=auto,compat_dir,listobjectsv2,stat_cache_expire=5,allow_other,umask=0022,mp_umask=0022,tmpdir=$own,ensure_diskfree=10
  [ "$4" = rw ] || options=$options,ro
  AWS_ACCESS_KEY_ID=session AWS_SECRET_ACCESS_KEY=session timeout 30 s3fs "$from" "$1" -o "$options" 9>&-
}

while [ $# -ge 4 ]; do
  is_mounted "$1"
  mounted=$?
  if [ "$mounted" = 0 ]; then
    echo mounted
  elif [ "$mounted" = 2 ]; then
    echo "failed the program of the mount does not answer"
  else
    : >"$own/log"
    if mkdir -p -- "$1" 2>"$own/said" && is_empty "$1" 2>"$own/said" && "with_$program" "$1" "$2" "$3" "$4" </dev/null >"$own/said" 2>&1 && is_mounted "$1"; then
      echo mounted
    else
      said=$(cat -- "$own/said" "$own/log" | grep -v '^$' | tail -n 1 | tr -d '[:cntrl:]' | cut -c 1-300)
      echo "failed ${said:-$program mounted nothing}"
    fi
  fi
  shift 4
done
