import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { createTestDatabase } from '../../server/src/testing/engines.ts'
import { ask, passwordIdentity, requestToken, secretOf } from '../../server/src/testing/client.ts'
import {
  repository,
  spawnProcess,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'
import { readPages } from '../docs/read-page.ts'
import { freePort } from '../free-port.ts'
import { buildImage, stages } from './build-image.ts'
import { chrootCommand } from './chroot.ts'
import { lastOf, variablesOf } from './dockerfile.ts'

interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly { readonly source: string; readonly target: string }[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}

interface Project {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** The compose file as Docker's own library reads it. */
function readCompose(): Project {
  const output = execFileSync(
    'go',
    ['run', '-mod=readonly', '.', join(repository, 'deploy/docker/compose.yaml')],
    {
      cwd: join(import.meta.dirname, 'compose'),
      encoding: 'utf8',
    },
  )
  return JSON.parse(output) as Project
}

/** The commands of the guide that make the secrets, without those that need Docker. */
function readSecretCommands(): string {
  const block = readPages()
    .find(({ path }) => path === 'docs/installing.md')
    ?.blocks.find(({ text }) => text.includes('secret.key') && text.includes('docker compose'))
  const lines = (block?.text ?? '').trim().split('\n')
  return lines
    .filter((line) => !line.includes('docker compose'))
    .map((line) => line.replace(/^\$ /, ''))
    .join('\n')
}

// Needs root, for chroot and mounts, and the package lists of Debian 12.
describe('the image', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const image = stages.at(-1)!
  const user = lastOf(image, 'USER')
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  const entry = JSON.parse(lastOf(image, 'ENTRYPOINT')) as string[]
  const data = join(folder, 'data')
  let root: string
  before(() => {
    root = buildImage(folder)
    // As a new volume: with the owner and the mode of the folder in the image.
    const stats = statSync(join(root, 'var/lib/muster'))
    mkdirSync(data, { mode: stats.mode })
    chownSync(data, stats.uid, stats.gid)
  })

  const inContainer = (
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
    volumes: Readonly<Record<string, string>> = { '/var/lib/muster': data },
  ) =>
    spawnProcess(lifetime, {
      command: chrootCommand({
        root,
        command,
        user,
        volumes,
        isReadOnly: true,
        environment: { ...variablesOf(image), ...environment },
        folder: lastOf(image, 'WORKDIR'),
      }),
    })
  const start = async (environment: Record<string, string>, volumes?: Record<string, string>) => {
    const command = [...entry, ...(JSON.parse(lastOf(image, 'CMD')) as string[])]
    const muster = inContainer(command, environment, volumes)
    await muster.printed("-d '{")
    return muster
  }
  const checkHealth = async (environment: Record<string, string>) => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(lastOf(image, 'HEALTHCHECK')) ?? []
    return (await inContainer(JSON.parse(command) as string[], environment).exited).code
  }

  test('has Node and the build, and no npm or compiler', (t) => {
    assert.ok(existsSync(join(root, 'opt/muster/sbom.cdx.json')))
    for (const name of ['npm', 'gcc', 'curl', 'python3']) {
      for (const path of ['usr/bin', 'usr/local/bin'])
        assert.ok(!existsSync(join(root, path, name)))
    }
    assert.ok(!existsSync(join(root, 'src')))
    t.diagnostic(
      `size: ${execFileSync('du', ['-sm', root], { encoding: 'utf8' }).split('\t')[0]} MB`,
    )
  })

  test('runs as its user on a read-only root, is healthy, and keeps its data', async () => {
    const environment = { MUSTER_PORT: String(await freePort()) }
    const url = `http://127.0.0.1:${environment.MUSTER_PORT}`
    assert.equal(await checkHealth(environment), 1)
    const muster = await start(environment)
    assert.equal(await checkHealth(environment), 0)
    const [, password = ''] = /password +(\S+)/.exec(muster.stdout()) ?? []
    const identity = passwordIdentity('sysadmin', password)
    secretOf(await requestToken(url, { identity }))
    for (const path of ['/console/', '/docs', '/readyz']) {
      assert.equal((await ask(url, path)).status, 200, path)
    }
    assert.match(
      readFileSync(`/proc/${muster.pid}/status`, 'utf8'),
      new RegExp(`^Uid:\\s${uid}\\s`, 'm'),
    )
    const write = inContainer(['sh', '-c', 'echo > /opt/muster/x'], {})
    assert.match((await write.exited).stderr, /Read-only file system/)
    assert.equal((await muster.end('SIGTERM')).code, 0)
    const again = await start(environment)
    assert.doesNotMatch(again.stdout(), /password +\S/)
    secretOf(await requestToken(url, { identity }))
    await again.end('SIGTERM')
  })

  test('starts with the compose file, with secrets of root that its group reads', async () => {
    const project = readCompose()
    const { services } = project
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.match(service.image, /^\w+:\d/, name)
    }
    const { environment, secrets } = services['muster']!
    const secretFolder = join(folder, 'secrets')
    execFileSync('sh', ['-euc', readSecretCommands()], { cwd: folder })
    assert.match(
      readFileSync(join(secretFolder, 'database-url'), 'utf8'),
      /^postgres:\/\/muster:[\da-f]{48}@postgres:5432\/muster$/,
    )
    writeFileSync(join(secretFolder, 'database-url'), await createTestDatabase())
    // As in a Secret of Kubernetes: of root, for the group.
    chownSync(join(secretFolder, 'secret.key'), 0, gid)
    chmodSync(join(secretFolder, 'secret.key'), 0o440)
    const mounted = join(folder, 'mounted')
    mkdirSync(mounted)
    for (const { source, target } of secrets) {
      const { file } = project.secrets[source]!
      cpSync(join(secretFolder, basename(file)), join(mounted, basename(target)), {
        preserveTimestamps: true,
      })
      const { uid: owner, gid: group, mode } = statSync(join(secretFolder, basename(file)))
      chownSync(join(mounted, basename(target)), owner, group)
      chmodSync(join(mounted, basename(target)), mode)
    }
    mkdirSync(join(root, 'run/secrets'), { recursive: true })
    const port = String(await freePort())
    // Without a volume: with PostgreSQL nothing is written.
    await start({ ...environment, MUSTER_PORT: port }, { '/run/secrets': mounted })
    secretOf(
      await requestToken(`http://127.0.0.1:${port}`, {
        identity: passwordIdentity(
          'sysadmin',
          readFileSync(join(secretFolder, 'admin-password'), 'utf8').trim(),
        ),
      }),
    )
    await eventually('it is ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
  })
})
