import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'

const repository = join(import.meta.dirname, '..')

// A separate tree with the same lint rules, so that the probe files disturb nobody.
const tree = mkdtempSync(join(tmpdir(), 'muster-layers-'))
after(() => rmSync(tree, { recursive: true }))
copyFileSync(join(repository, '.oxlintrc.json'), join(tree, '.oxlintrc.json'))

/** Lints these files, and returns the codes of the rules that they break, by file. */
function lint(files: Readonly<Record<string, string>>): Map<string, string[]> {
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), source)
  }
  const { stdout, stderr } = spawnSync(
    join(repository, 'node_modules/.bin/oxlint'),
    ['--deny-warnings', '--format=json', ...Object.keys(files)],
    { cwd: tree, encoding: 'utf8' },
  )
  for (const file of Object.keys(files)) rmSync(join(tree, file))
  const { diagnostics } = JSON.parse(stdout || `{"diagnostics": "${stderr}"}`) as {
    diagnostics: { code: string; filename: string }[]
  }
  const broken = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map([...broken].map(([file, list]) => [file, list.map(({ code }) => code)]))
}

const restricted = 'eslint(no-restricted-imports)'

/** The server imports the simulator dynamically, in two places, and never statically. */
const simulator = [
  '@muster/simulator/kind',
  '@muster/simulator/demo',
  '../../simulator/src/sites.ts',
]

/** Imports that the layers forbid. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  'contract/src': [
    'kysely',
    'fastify',
    'pg',
    'pino',
    '@muster/server',
    'ajv',
    'node:fs',
    'node:crypto',
    '../../server/src/domain/error.ts',
  ],
  'sdk/src': [
    'typebox',
    '@muster/contract',
    '@muster/contract/names',
    'fastify',
    'node:crypto',
    'node:fs',
    '@muster/server',
    '@muster/gateway',
    '../../contract/src/identity.ts',
    '../../server/src/log.ts',
  ],
  'sdk/src/auth': ['node:crypto', '@muster/gateway', '../../../contract/src/identity.ts'],
  'cli/src': [
    '@muster/server',
    '@muster/gateway',
    '../../server/src/log.ts',
    '../../sdk/src/client.ts',
    'undici',
    'typebox',
  ],
  'cli/src/description': ['../../../contract/src/identity.ts'],
  'gateway/src': [
    'kysely',
    'pg',
    'typebox',
    '@muster/server',
    '../../server/src/domain/error.ts',
    '../../sdk/src/client.ts',
    '../../contract/src/errors.ts',
  ],
  'gateway/src/console': ['@muster/server', '../../../server/src/log.ts', 'react'],
  'console/src': [
    'typebox',
    'fastify',
    'node:fs',
    '@muster/gateway',
    '../../sdk/src/client.ts',
    '../../server/src/domain/error.ts',
  ],
  'console/src/servers': ['typebox', '../../../server/src/domain/error.ts'],
  'server/src': simulator,
  'server/src/composition': simulator,
  'server/src/testing': simulator,
  'server/src/domain': [
    ...simulator,
    '@muster/gateway',
    '../storage/tokens.ts',
    '../http/app.ts',
    '../vault/secret-key.ts',
    '../egress/guarded-request.ts',
    '../config/read-config.ts',
    '../testing/client.ts',
    '../platform.ts',
    '../log.ts',
    'kysely',
    'fastify',
    'pg',
    'pino',
    'node:fs',
    'node:net',
    'node:http',
    'node:child_process',
    'node:sqlite',
    './audit/event.ts',
    './identity/ports.ts',
    './inventory/ports.ts',
    './sources/ports.ts',
    './views/ports.ts',
    './tasks/ports.ts',
  ],
  'server/src/domain/audit': [
    ...simulator,
    '../identity/principal.ts',
    '../inventory/ports.ts',
    '../sources/ports.ts',
    '../views/ports.ts',
    '../tasks/ports.ts',
    'kysely',
  ],
  'server/src/domain/identity': [
    ...simulator,
    '../inventory/ports.ts',
    '../sources/ports.ts',
    '../views/ports.ts',
    '../tasks/ports.ts',
    '../../http/app.ts',
  ],
  'server/src/domain/identity/administration': ['../../inventory/ports.ts', 'node:fs'],
  'server/src/domain/identity/methods': ['../../../storage/tokens.ts', '../../../http/app.ts'],
  'server/src/domain/identity/providers/cas': [
    '../../../../egress/guarded-request.ts',
    'node:https',
  ],
  'server/src/domain/inventory': [
    ...simulator,
    '../sources/ports.ts',
    '../views/ports.ts',
    '../tasks/ports.ts',
    'kysely',
  ],
  'server/src/domain/views': [
    ...simulator,
    '../tasks/ports.ts',
    '../sources/ports.ts',
    '../../storage/views/view-store.ts',
  ],
  'server/src/domain/checks': [
    ...simulator,
    '../tasks/ports.ts',
    '../views/ports.ts',
    '../../storage/checks/check-store.ts',
  ],
  'server/src/storage': [
    ...simulator,
    '../http/app.ts',
    '../vault/secret-key.ts',
    '../egress/guarded-request.ts',
    '../sources/kinds.ts',
    '../config/read-config.ts',
    '../testing/client.ts',
    '../platform.ts',
    'fastify',
    '@muster/sdk',
    '../../../gateway/src/sessions.ts',
    '../../../sdk/src/client.ts',
  ],
  'server/src/domain/sources': [
    ...simulator,
    '../../sources/kinds.ts',
    '../../egress/egress.ts',
    '../views/ports.ts',
    '../tasks/ports.ts',
  ],
  'server/src/storage/sqlite': ['../../http/app.ts', '../../platform.ts'],
  'server/src/http': [
    ...simulator,
    '../storage/tokens.ts',
    '../storage/sqlite/open.ts',
    '../vault/secret-key.ts',
    '../egress/guarded-request.ts',
    '../config/read-config.ts',
    '../testing/client.ts',
    '../platform.ts',
    'kysely',
    'pg',
  ],
  'server/src/vault': [
    ...simulator,
    '../storage/tokens.ts',
    '../http/app.ts',
    '../egress/guarded-request.ts',
    '../config/read-config.ts',
    'kysely',
    'pg',
    'fastify',
  ],
  'server/src/egress': [
    ...simulator,
    '../storage/tokens.ts',
    '../http/app.ts',
    '../vault/secret-key.ts',
    '../config/read-config.ts',
    '../composition/open-storage.ts',
    '../testing/client.ts',
    '../platform.ts',
    '../log.ts',
    'kysely',
    'pg',
    'fastify',
  ],
  'server/src/sources/shared': ['../aws/tags.ts', '../../egress/egress.ts', 'kysely'],
  'server/src/sources/aws': [
    ...simulator,
    '../libvirt/connect.ts',
    '../../storage/tokens.ts',
    '../../http/app.ts',
    '../../vault/secret-key.ts',
    '../../egress/guarded-request.ts',
    '../../config/read-config.ts',
    '../../composition/open-storage.ts',
    '../../testing/client.ts',
    '../../platform.ts',
    '../../log.ts',
    'kysely',
    'pg',
    'fastify',
  ],
  'simulator/src': [
    '@muster/server',
    '@muster/server/testing/source-conformance',
    '@muster/gateway',
    '../../server/src/domain/sources/source.ts',
    'kysely',
    'fastify',
  ],
  'simulator/src/demo': ['../../../server/src/storage/demo-record.ts', '@muster/sdk'],
  'server/src/config': [
    ...simulator,
    '../storage/tokens.ts',
    '../http/app.ts',
    '../domain/error.ts',
    '../vault/secret-key.ts',
    '../egress/guarded-request.ts',
  ],
}

/** Imports that the layers allow, so that a rule that forbids everything fails here. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'contract/src': ['typebox', './errors.ts'],
  'sdk/src': ['./errors.ts', './auth/auth.ts'],
  'cli/src': ['@muster/sdk', './io.ts', '../io.ts', 'node:fs', 'node:readline/promises', 'yaml'],
  'gateway/src': [
    '@muster/contract',
    '@muster/sdk',
    './ports.ts',
    'fastify',
    'node:crypto',
    'node:stream/consumers',
  ],
  'gateway/src/console': ['../ports.ts', 'node:fs/promises'],
  'console/src': ['@muster/sdk', '@tanstack/react-query', 'react', './app.tsx'],
  'server/src/domain': ['@muster/contract', './error.ts', 'node:crypto'],
  'server/src/domain/audit': ['../scope.ts', './event.ts', '@muster/contract'],
  'server/src/domain/identity': ['../scope.ts', '../audit/event.ts', './providers/drivers.ts'],
  'server/src/domain/identity/providers/cas': ['../../../error.ts', './cas-driver.ts', 'saxes'],
  'server/src/domain/inventory': ['../identity/principal.ts', '../audit/event.ts', '../scope.ts'],
  'server/src/domain/sources': ['../inventory/ports.ts', '../identity/caller.ts'],
  'server/src/domain/views': ['../inventory/ports.ts', '../identity/caller.ts'],
  'server/src/domain/checks': ['../sources/ports.ts', '../inventory/ports.ts'],
  'server/src/storage': [
    '../domain/error.ts',
    '../domain/sources/ports.ts',
    '@muster/contract',
    'kysely',
    'pg',
  ],
  'server/src/http': ['../domain/error.ts', '@muster/contract', 'fastify'],
  'server/src/vault': ['../domain/error.ts', 'node:crypto', 'node:fs'],
  'server/src/egress': [
    '../domain/error.ts',
    '../domain/identity/provider-driver.ts',
    '@muster/contract',
    'ipaddr.js',
    'node:https',
  ],
  'server/src/sources/shared': ['./http-client.ts', '../../domain/sources/source.ts', 'saxes'],
  'server/src/sources/aws': [
    './tags.ts',
    '../shared/http-client.ts',
    '../../domain/inventory/server-facts.ts',
    '@muster/contract',
    'node:crypto',
  ],
  'simulator/src': [
    './random-hash.ts',
    './clouds/cloud.ts',
    '@muster/server/source-port',
    'node:timers/promises',
  ],
  'simulator/src/demo': ['../sites.ts', '@muster/server/demo-port', 'node:crypto'],
  'server/src/config': ['./parsers.ts', '../domain/nearest.ts', 'node:util'],
}

/** Imports that are allowed for types only. */
const typesOnly: Readonly<Record<string, readonly string[]>> = {
  'cli/src/commands': ['@muster/contract'],
  'console/src': ['@muster/contract'],
  'server/src/storage': ['@muster/gateway'],
  'server/src/storage/sessions': ['@muster/gateway'],
}

/** A file for each import, in each form of an import statement. */
function writeImports(imports: Readonly<Record<string, readonly string[]>>) {
  const files: Record<string, string> = {}
  const meaning = new Map<string, string>()
  for (const [folder, sources] of Object.entries(imports)) {
    for (const [index, source] of sources.entries()) {
      const forms = {
        value: `import { thing } from '${source}'\n\nexport const probe = thing\n`,
        type: `import type { Thing } from '${source}'\n\nexport type Probe = Thing\n`,
        again: `export { thing } from '${source}'\n`,
        dynamic: `export const probe = await import('${source}')\n`,
      }
      for (const [form, text] of Object.entries(forms)) {
        const file = `${folder}/probe-${index}-${form}.ts`
        files[file] = text
        meaning.set(file, `${folder} → ${source} (${form})`)
      }
    }
  }
  return { files, meaning }
}

describe('the layers', () => {
  test('forbid imports from higher layers in every form', () => {
    const { files, meaning } = writeImports(forbidden)
    const broken = lint(files)
    const passed = [...meaning].filter(([file]) => !broken.get(file)?.includes(restricted))
    assert.deepEqual(
      passed.map(([, what]) => what),
      [],
    )
  })

  test('allow imports from lower layers', () => {
    const { files, meaning } = writeImports(allowed)
    const broken = lint(files)
    const stopped = [...meaning].filter(([file]) => broken.get(file)?.includes(restricted))
    assert.deepEqual(
      stopped.map(([, what]) => what),
      [],
    )
  })

  test('allow some imports for types only', () => {
    const { files, meaning } = writeImports(typesOnly)
    const broken = lint(files)
    for (const [file, what] of meaning) {
      const isStopped = broken.get(file)?.includes(restricted) === true
      assert.equal(isStopped, !file.endsWith('-type.ts'), what)
    }
  })

  test('forbid import cycles', () => {
    const broken = lint({
      'server/src/domain/circle-one.ts':
        "import { two } from './circle-two.ts'\n\nexport const one = two\n",
      'server/src/domain/circle-two.ts':
        "import { one } from './circle-one.ts'\n\nexport const two = one\n",
    })
    const codes = [...broken.values()].flat()
    assert.ok(
      codes.some((code) => code.includes('no-cycle')),
      codes.join(' '),
    )
  })

  test('are not bypassed by dynamic imports of a computed path, which the linter cannot check', () => {
    const sources = globSync('{contract,sdk,cli,gateway,console,simulator,server}/src/**/*.ts', {
      cwd: repository,
      exclude: ['**/*.test.ts'],
    })
    assert.ok(sources.length > 20)
    const jumps = sources.flatMap((file) =>
      [...readFileSync(join(repository, file), 'utf8').matchAll(/\bimport\(\s*([^)]*)\)/g)]
        .filter(([, target = '']) => !/^'[^']*'$/.test(target.trim()))
        .map(([statement]) => `${file}: ${statement}`),
    )
    assert.deepEqual(jumps, [])
  })
})
