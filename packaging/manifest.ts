import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { native } from './native.ts'

/** The name under which Muster is published to npm. It appears nowhere else. */
const packageName = '@muster-inventory/muster'

interface Manifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The `package.json` of the build. It brings the Node of the repository, for machines with an older one. */
export function createManifest(repository: string) {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(repository, path), 'utf8')) as Manifest
  const { version, description, license, optionalDependencies = {} } = read('package.json')
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'))
  return {
    name: packageName,
    version,
    description,
    license,
    type: 'module',
    bin: { muster: 'muster.mjs' },
    dependencies: { [native]: read('server/package.json').dependencies?.[native] },
    optionalDependencies: Object.fromEntries(nodes),
  }
}
