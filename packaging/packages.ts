import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** A third-party package that is part of the build. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The SHA-512 of its archive, in base64. */
  readonly sha512: string
  readonly licenseTexts: readonly string[]
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
}

/** The packages that these modules belong to, sorted by name. */
export function findPackages(repository: string, modules: readonly string[]): Package[] {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock
  const paths = new Set(
    modules.flatMap((module) => {
      const path = relative(repository, module.replace(/^\0/, '')).split(sep).join('/')
      return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@]+/.exec(path)?.[0] ?? []
    }),
  )
  const found = [...paths].map((path) => describePackage(repository, path, lock))
  // npm may install the same version in several places.
  const unique = new Map(found.map((each) => [`${each.name} ${each.version}`, each]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

function describePackage(repository: string, path: string, lock: Lock): Package {
  const folder = join(repository, path)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
  const { name, version, license } = manifest
  const integrity = lock.packages[path]?.integrity
  if (!license || !integrity?.startsWith('sha512-')) {
    throw new Error(`${path} has no licence or no checksum`)
  }
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  return {
    name,
    version,
    license,
    sha512: integrity.slice('sha512-'.length),
    licenseTexts: texts.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim()),
  }
}
