import { globSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages, unpackPackage } from '../debian.ts'

/** Unpacks OpenLDAP's server, because installing it would start a service. Returns its folder. */
export function installSlapd(): string {
  const folder = unpackPackage('slapd')
  const libraries = globSync('/usr/lib/*/lib{ltdl.so.7,wrap.so.0}')
  if (libraries.length < 2) installPackages('libltdl7', 'libwrap0')
  return folder
}

/** Where the folder has the libraries of its programs. */
export const librariesOf = (folder: string): string =>
  globSync(join(folder, 'usr/lib/*/libslapi*'))
    .map((file) => join(file, '..'))
    .join(':')

/** What Samba needs besides its package, as far as other tests do not install it. */
const neededBySamba =
  'ldb-tools libgpgme11 libldb2 liblmdb0 libtalloc2 libtdb1 libtevent0 libwbclient0 python3-dnspython python3-ldb python3-samba python3-talloc python3-tdb samba-ad-provision samba-common samba-common-bin samba-dsdb-modules samba-libs samba-vfs-modules samba tdb-tools winbind'

/** Unpacks Samba's domain controller, because installing it would start services. Returns its folder. */
export const installSamba = (): string => unpackPackage('samba-ad-dc', ...neededBySamba.split(' '))
