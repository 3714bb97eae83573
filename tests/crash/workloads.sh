# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The packages of the power-cut tests. A workload W has the functions
#     W_old   names the packages that are there before, and makes them
#     W_new   the same for what the command is given; if it has none, the old ones are erased
# Each prints names; the package of a name is NAME.rpm in the current directory. Files of one
# number differ between two packages in content and size. It may have, too,
#     W_edit DIR   what an administrator did below that root before the command
#     W_scripted   prints the paths that scripts write, an extended regular expression for each

# numbered FROM TO TAG DIR: regular files in ten directories below DIR.
numbered() {
    local i size
    for ((i = $1; i <= $2; i++)); do
        size=$((300 + (i * 977 + ${#3} * 31) % 12000))
        echo "file $4/d$((i % 10))/f$i size=$size fill=random link=$3-$i"
    done
}

# directories DIR: the ten.
directories() {
    local i
    echo "dir $1"
    for i in 0 1 2 3 4 5 6 7 8 9; do echo "dir $1/d$i"; done
}

# package NAME VERSION: from the statements on stdin.
package() {
    { printf 'name %s\nversion %s\n' "$1" "$2"; cat; } | make_pkg "$1-$2.rpm" || return 1
    echo "$1-$2"
}

# The upgrade that stock rpm's behaviour was first measured with: 200 files replaced, 60 added.
upgrade_old() { { directories /srv/t; numbered 1 200 one /srv/t; } | package t 1; }
upgrade_new() { { directories /srv/t; numbered 1 260 second /srv/t; } | package t 2; }

# Ten times as many files.
large_old() { { directories /srv/l; numbered 1 2000 one /srv/l; } | package l 1; }
large_new() { { directories /srv/l; numbered 1 2600 second /srv/l; } | package l 2; }

# The same package where nothing was.
install_old() { :; }
install_new() { upgrade_new; }

# The erasure of it.
erase_old() { upgrade_new; }
erase_new() { :; }

# Every kind of change: replaced, added and removed files and directories, symlinks, hard links
# across directories, changed config files, a mode alone, a capability, and paths that change their
# type. For a directory that becomes something else rpm needs a %pretrans which takes it away.
mixed_old() {
    { directories /srv/t; numbered 1 40 one /srv/t
      cat <<-'END'
	dir /srv/t/gone
	file /srv/t/gone/a size=5000 fill=random
	file /srv/t/gone/b size=9 fill=text
	file /srv/t/removed size=7000 fill=random
	symlink /srv/t/link d1/f1
	symlink /srv/t/link-gone d2/f2
	file /srv/t/d1/hard size=6000 fill=random link=hard-one
	file /srv/t/d2/hard size=6000 fill=random link=hard-one
	file /srv/t/conf flags=config size=400 fill=text
	file /srv/t/conf-edited flags=config size=400 fill=text
	file /srv/t/conf-kept flags=config,noreplace size=400 fill=text
	file /srv/t/conf-gone flags=config size=400 fill=text
	file /srv/t/mode mode=0644 size=3000 fill=random
	dir /srv/t/dirmode mode=0755
	file /srv/t/dirmode/f size=10 fill=text
	file /srv/t/cap size=3000 fill=random link=cap-one
	file /srv/t/file-to-link size=3000 fill=random
	symlink /srv/t/link-to-file d1/f1
	file /srv/t/file-to-dir size=3000 fill=random
	symlink /srv/t/link-to-dir nowhere
	dir /srv/t/dir-to-file
	dir /srv/t/dir-to-link
	file /srv/t/dir-to-link/f size=3000 fill=random
END
    } | package m 1
}
mixed_new() {
    { directories /srv/t; numbered 1 30 second /srv/t; numbered 41 50 second /srv/t
      cat <<-'END'
	dir /srv/t/come
	file /srv/t/come/a size=5000 fill=random
	symlink /srv/t/link d3/f3
	symlink /srv/t/link-come d4/f4
	file /srv/t/d1/hard size=6100 fill=random link=hard-two
	file /srv/t/d2/hard size=6100 fill=random link=hard-two
	file /srv/t/d3/hard size=6100 fill=random link=hard-two
	file /srv/t/conf flags=config size=450 fill=text
	file /srv/t/conf-edited flags=config size=450 fill=text
	file /srv/t/conf-kept flags=config,noreplace size=450 fill=text
	file /srv/t/mode mode=0755 size=3000 fill=random
	dir /srv/t/dirmode mode=0700
	file /srv/t/dirmode/f size=10 fill=text
	file /srv/t/cap size=3100 fill=random link=cap-two caps=cap_net_raw=ep
	symlink /srv/t/file-to-link d1/f1
	file /srv/t/link-to-file size=3000 fill=random
	dir /srv/t/file-to-dir
	file /srv/t/file-to-dir/f size=3000 fill=random
	dir /srv/t/link-to-dir
	file /srv/t/dir-to-file size=3000 fill=random
	symlink /srv/t/dir-to-link d2
	script pretrans /bin/sh if\s[\s!\s-L\s/srv/t/dir-to-link\s];\sthen\srm\s-rf\s/srv/t/dir-to-file\s/srv/t/dir-to-link;\sfi
	script posttrans /bin/sh echo\sposttrans\s>/srv/t/by-posttrans
END
    } | package m 2
}
mixed_edit() {
    echo edited >>"$1/srv/t/conf-edited"
    echo edited >>"$1/srv/t/conf-kept"
    echo edited >>"$1/srv/t/conf-gone"
}
mixed_scripted() { echo srv/t/by-posttrans; }

# Upgrades whose scripts force stock's order on them, and one without any among them. Each script
# writes a file of its own.
# with_scripts NAME VERSION FIRST-FILE LAST-FILE SCRIPT...
with_scripts() {
    local name=$1 version=$2 first=$3 last=$4 kind
    shift 4
    { printf 'dir /srv/%s\ndir /srv/by\n' "$name"
      numbered "$first" "$last" "$version" "/srv/$name" | sed 's,/d[0-9]/,/,'
      for kind; do
          echo "script $kind /bin/sh echo\\s$kind-$version\\s>/srv/by/$name-$kind"
      done
    } | package "$name" "$version"
}
scripted() {
    with_scripts s1 "$@" postin && with_scripts s2 "$@" prein preun postun &&
        with_scripts s3 "$@" && with_scripts s4 "$@" postin postun
}
scripted_old() { scripted 1 1 12; }
scripted_new() { scripted 2 5 20; }
scripted_scripted() { echo 'srv/by/.*'; }

# Many packages in one transaction, of 15 files each before it and 20 after it.
many() { # PACKAGES VERSION TAG FILES
    local i
    for ((i = 1; i <= $1; i++)); do
        { echo "dir /srv/p$i"; numbered 1 "$4" "$3-$i" "/srv/p$i" | sed "s,/d[0-9]/,/,"; } |
            package "p$i" "$2"
    done
}
fifty_old() { many 50 1 one 15; }
fifty_new() { many 50 2 second 20; }
hundred_old() { many 100 1 one 15; }
hundred_new() { many 100 2 second 20; }
