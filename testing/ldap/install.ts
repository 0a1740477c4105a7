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
