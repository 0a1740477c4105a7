import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const repository = join(import.meta.dirname, '..')

interface Package {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly license?: string
  readonly dev?: boolean
  readonly integrity?: string
}

const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const dependencies = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
)

/** All files that are in the repository or not ignored. */
function listFiles(): string[] {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    { cwd: repository, encoding: 'utf8' },
  )
  assert.equal(status, 0)
  return stdout.split('\0').filter((file) => {
    const stats =
      file === '' ? undefined : lstatSync(join(repository, file), { throwIfNoEntry: false })
    return stats?.isFile() === true
  })
}

describe('package-lock.json', () => {
  test('names no address to download from, so that any registry will do', () => {
    const resolved = Object.entries(lock.packages).flatMap(([path, { resolved, link }]) =>
      resolved === undefined || link === true ? [] : [`${path}: ${resolved}`],
    )
    assert.deepEqual(resolved, [])
  })

  test('has a checksum for every package that comes with Muster, on any machine', () => {
    const ours = dependencies.filter(([, { dev }]) => dev !== true)
    assert.ok(ours.length > 50)
    const unchecked = ours.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    assert.deepEqual(
      unchecked.map(([path]) => path),
      [],
    )
  })

  test('gives every dependency of ours one exact version', () => {
    for (const folder of ['.', 'contract', 'cli', 'server']) {
      const manifest = JSON.parse(
        readFileSync(join(repository, folder, 'package.json'), 'utf8'),
      ) as Partial<Record<string, Record<string, string>>>
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
          assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${folder}: ${name}`)
        }
      }
    }
  })
})

describe('licences', () => {
  const permissive = new Set([
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    // Of fonts.
    'OFL-1.1',
    'PostgreSQL',
    'Python-2.0',
    'Unlicense',
    'Zlib',
  ])

  /** One licence of an "or" must be permissive, and all of an "and". */
  const isPermissive = (licence: string): boolean =>
    licence
      .replaceAll(/[()]/g, '')
      .split(' OR ')
      .some((choice) => choice.split(' AND ').every((part) => permissive.has(part.trim())))

  const licenceOf = ([path, { license }]: [string, Package]): string => {
    const manifest = join(repository, path, 'package.json')
    // Packages for other platforms are not installed here. The lock file lists them.
    if (!existsSync(manifest)) return license ?? ''
    return (JSON.parse(readFileSync(manifest, 'utf8')) as Package).license ?? ''
  }

  /** MPL-2.0, and used as they are to build and to test: nothing of them leaves the repository. */
  const isToolAtHome = ([path, { dev }]: [string, Package]) =>
    dev === true && /^node_modules\/(?:lightningcss(?:-[\w-]+)?|axe-core)$/.test(path)

  test('of all dependencies are permissive', () => {
    const others = dependencies.filter(
      (dependency) => !isPermissive(licenceOf(dependency)) && !isToolAtHome(dependency),
    )
    assert.deepEqual(
      others.map((dependency) => `${dependency[0]}: ${licenceOf(dependency)}`),
      [],
    )
  })

  test('that are not permissive are told apart', () => {
    assert.deepEqual(
      ['MIT', '(MIT OR GPL-3.0)', '(MIT AND GPL-3.0)', 'GPL-2.0', 'SEE LICENSE', ''].map(
        isPermissive,
      ),
      [true, true, false, false, false, false],
    )
  })
})

describe('the files', () => {
  // Composed, so that this file does not match itself.
  const homes = ['work', 'home', 'root', 'Users'].map((folder) => `/${folder}/`)
  const machinePath = new RegExp(
    String.raw`(?<![\w.~/:*-])(?:${homes.join('|')})[\w.-]+|[A-Z]:\\+Users\\+\w`,
  )

  test('name no path of the machine that they were written on', () => {
    const files = listFiles()
    assert.ok(files.includes('package.json'))
    const named = files.flatMap((file) => {
      const text = readFileSync(join(repository, file), 'latin1')
      if (text.includes('\0')) return []
      return text
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
        .filter(({ line }) => machinePath.test(line))
        .map(({ line, place }) => `${place}: ${line.trim().slice(0, 100)}`)
    })
    assert.deepEqual(named, [])
  })

  test('hold no private key but the one that is for tests only', () => {
    const marker = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
    const keys = listFiles().filter((file) =>
      new RegExp(
        marker.replace(' ', String.raw` (?:\w+ )?`) + String.raw`\r?\n[A-Za-z0-9+/=]{20}`,
      ).test(readFileSync(join(repository, file), 'latin1')),
    )
    assert.deepEqual(keys, ['server/src/testing/fixtures/test-only.key.pem'])
  })
})
