import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { AccountTest, CloudAccount } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { procedures } from '../../sources/libvirt/protocol.ts'
import { writeDomainHandle } from '../../sources/libvirt/records.ts'
import { createXdrWriter } from '../../sources/libvirt/xdr.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { refuse, startFakeEc2, succeed, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { startFakeLibvirt, type FakeFault, type FakeLibvirt } from '../../testing/fake-libvirt.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime, type Lifetime } from '../../testing/spawn-muster.ts'

const secret = 'canary0secret0key0canary'
const sessionToken = 'canary0session0token0canary'
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../testing/fixtures', name), 'utf8')
const clientKey = fixture('test-only.key.pem')
/** If any part of it appears anywhere, it has leaked. */
const secrets = [secret, sessionToken, clientKey.split('\n')[1] ?? '', 'Signature=']

/** A source with its own servers, which a test breaks, changes and repairs. */
interface FaultySource {
  readonly settings: object
  add(name: string): void
  remove(name: string): void
  readonly fault: { start(): void; end(): void }
}

const names = ['one', 'two', 'three', 'four', 'five']

async function startEc2(lifetime: Lifetime, fault: (ec2: FakeEc2) => FakeEc2['misbehave']) {
  const ec2 = await startFakeEc2(lifetime)
  const ids = new Map<string, string>()
  // Some faults occur on the second page.
  ec2.pageSize = 2
  const source: FaultySource = {
    settings: {
      provider: 'Aws',
      ...ec2.settings,
      credentials: {
        access_key_id: 'AKIAFAKE',
        secret_access_key: secret,
        session_token: sessionToken,
      },
    },
    add(name) {
      const id = `i-${randomUUID()}`
      ids.set(name, id)
      ec2.instances.set(id, { name })
    },
    remove: (name) => ec2.instances.delete(ids.get(name) ?? ''),
    fault: {
      start: () => (ec2.misbehave = fault(ec2)),
      end() {
        ec2.misbehave = undefined
      },
    },
  }
  for (const name of names) source.add(name)
  return source
}

/** Replaces the response to DescribeInstances; for further pages only, if so requested. */
const instances =
  (otherwise: (response: ServerResponse) => unknown, isFurther = false) =>
  (): FakeEc2['misbehave'] =>
  ({ action, form }, response) => {
    if (action !== 'DescribeInstances' || (isFurther && !form.has('NextToken'))) return false
    otherwise(response)
    return true
  }

function createFaultyLibvirt(
  libvirt: FakeLibvirt,
  fault: FaultySource['fault'],
  more: object = {},
): FaultySource {
  const uuids = new Map<string, string>()
  const source: FaultySource = {
    settings: { provider: 'OneCloud', address: libvirt.address, ...more },
    add(name) {
      const uuid = randomUUID()
      uuids.set(name, uuid)
      libvirt.domains.set(uuid, { uuid, name })
    },
    remove: (name) => libvirt.domains.delete(uuids.get(name) ?? ''),
    fault,
  }
  for (const name of names) source.add(name)
  return source
}

async function startLibvirt(lifetime: Lifetime, faults: Readonly<Record<number, FakeFault>>) {
  const libvirt = await startFakeLibvirt(lifetime)
  return createFaultyLibvirt(libvirt, {
    start() {
      for (const [procedure, fault] of Object.entries(faults)) {
        libvirt.faults.set(Number(procedure), fault)
      }
      // A faulty daemon closes its connections too.
      if (procedures.connectOpen in faults) libvirt.drop()
    },
    end: () => libvirt.faults.clear(),
  })
}

/** A host name that can be pointed to another machine. */
async function startSwitch(lifetime: Lifetime, first: number) {
  let target = first
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  lifetime.after(() => server.close())
  return {
    port: (server.address() as AddressInfo).port,
    turnTo: (port: number) => (target = port),
  }
}

async function startBehindTls(lifetime: Lifetime, certificate: 'expired' | 'elsewhere') {
  const good = await startFakeLibvirt(lifetime, { certificate: 'issued' })
  const bad = await startFakeLibvirt(lifetime, { certificate })
  const portOf = ({ address }: FakeLibvirt) => Number(/:(\d+)\//.exec(address)?.[1])
  const between = await startSwitch(lifetime, portOf(good))
  const fault = {
    start() {
      between.turnTo(portOf(bad))
      good.drop()
    },
    end: () => between.turnTo(portOf(good)),
  }
  return createFaultyLibvirt(good, fault, {
    address: `qemu+tls://localhost:${between.port}/system`,
    options: { ca: testAuthority },
    credentials: {
      client_certificate: fixture('test-only-issued.cert.pem'),
      client_key: clientKey,
    },
  })
}

const noDomains = createXdrWriter().uint(0).uint(0).finish()
const listWithWrongCount = writeDomainHandle(createXdrWriter().uint(1), {
  name: 'one',
  uuid: randomUUID(),
  id: 1,
})
  .uint(500)
  .finish()
const { connectListAllDomains, connectOpen, domainGetXmlDesc } = procedures

type Start = (lifetime: Lifetime) => Promise<FaultySource>
const ec2 = (fault: (fake: FakeEc2) => FakeEc2['misbehave']): Start => {
  return (lifetime) => startEc2(lifetime, fault)
}
const libvirt = (faults: Readonly<Record<number, FakeFault>>): Start => {
  return (lifetime) => startLibvirt(lifetime, faults)
}
const half = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': 5_000 })
  response.write('<DescribeInstancesResponse><reservationSet>', () => response.destroy())
}
const tooMuch = `<DescribeInstancesResponse>${`<x>${'x'.repeat(1_000)}</x>`.repeat(10_000)}</DescribeInstancesResponse>`

/** The faults, and the error that the account reports. */
const faults: readonly (readonly [string, Start, RegExp])[] = [
  ['an EC2 that does not answer', ec2(instances(() => {})), /no response within \d+ s/],
  [
    'a libvirt that does not respond',
    libvirt({ [domainGetXmlDesc]: 'silence' }),
    /no response within \d+ s/,
  ],
  [
    'an EC2 that fails',
    ec2(instances((response) => response.writeHead(500).end('<h1>Sorry</h1>'))),
    /could not DescribeInstances \(status 500\)/,
  ],
  [
    'a libvirt that fails',
    libvirt({ [connectListAllDomains]: { error: 38, message: 'the disk is on fire' } }),
    /libvirt says: the disk is on fire/,
  ],
  [
    'an EC2 that responds with garbage',
    ec2(instances((response) => response.end('\u0000\u0001 garbage'))),
    /invalid response to DescribeInstances/,
  ],
  [
    'a libvirt that responds with garbage',
    libvirt({ [connectListAllDomains]: 'garbage' }),
    /invalid libvirt message|without a request|version 1 of the libvirt/,
  ],
  [
    'an EC2 that stops at its second page',
    ec2(instances(half, true)),
    /closed the connection during/,
  ],
  [
    'a libvirt that stops in the middle of a message',
    libvirt({ [domainGetXmlDesc]: 'truncated' }),
    /in the middle of a message/,
  ],
  [
    'an EC2 with an empty response',
    ec2(instances((response) => response.writeHead(200).end())),
    /invalid response to DescribeInstances/,
  ],
  [
    'an EC2 that responds with ten megabytes',
    ec2(instances((response) => response.writeHead(200).end(tooMuch))),
    /more than \d+ bytes/,
  ],
  [
    'an EC2 that no longer accepts the key',
    ec2(instances((response) => refuse(response, 401, 'AuthFailure', `signed with ${secret}`))),
    /does not accept the access key \(AuthFailure\)/,
  ],
  [
    'a key that expires in the middle of a scan',
    ec2(instances((response) => refuse(response, 400, 'RequestExpired', secret), true)),
    /the key has expired/,
  ],
  [
    'a libvirt that rejects every login',
    libvirt({ [connectOpen]: { error: 45, message: 'authentication failed' } }),
    /libvirt says: authentication failed/,
  ],
  [
    'a libvirt whose certificate has expired',
    (lifetime) => startBehindTls(lifetime, 'expired'),
    /is not trusted: its certificate has expired/,
  ],
  [
    'a libvirt with the certificate of another host',
    (lifetime) => startBehindTls(lifetime, 'elsewhere'),
    /is not trusted: its certificate is for another name/,
  ],
  [
    'a libvirt that reports a wrong count',
    libvirt({ [connectListAllDomains]: { body: listWithWrongCount } }),
    /listed 1 domains but counted 500/,
  ],
  [
    'an EC2 whose page tokens repeat',
    ec2(
      () =>
        ({ action }, response) =>
          action === 'DescribeInstances' &&
          succeed(response, action, '<reservationSet/>', '<nextToken>again</nextToken>'),
    ),
    /pages of .* repeat/,
  ],
  [
    'an EC2 with rate limiting',
    ec2(instances((response) => refuse(response, 503, 'RequestLimitExceeded'))),
    /asks for fewer requests/,
  ],
  ['a libvirt that hangs up', libvirt({ [connectOpen]: 'closed' }), /closed the connection/],
]

/** The number of faults that take twenty seconds to detect. */
const silent = 2

describe('a faulty source', () => {
  const lifetime = suiteLifetime()
  const log: string[] = []
  const answers: string[] = []
  let at: Attached
  /** Sources that are faulty or will be. */
  const failing = new Set(faults.map(([what]) => what))
  before(async () => {
    at = await startAttached(lifetime, 'sqlite', {
      flags: ['--source-allow=127.0.0.1,localhost'],
      log: { level: 'trace', destination: { write: (line) => void log.push(line) } },
    })
  })

  const patience = 120
  const show = async (id: string): Promise<CloudAccount> => {
    const account = await at.show(id)
    answers.push(JSON.stringify(account))
    return account
  }
  const serversOf = async (account: Pick<CloudAccount, 'id'>) =>
    (await at.servers(account)).map(({ id, name }) => `${name} ${id}`)
  const attach = async ({ settings }: Pick<FaultySource, 'settings'>, more: object = {}) => {
    const group = { group: newId() }
    const { options = {} } = settings as { options?: object }
    const isLibvirt = (settings as { provider: string }).provider === 'OneCloud'
    const { id } = await at.attach({
      ...settings,
      options: isLibvirt ? { ...options, ...group } : options,
      ...more,
    })
    return await eventually(
      'the first sync',
      async () => {
        const account = await show(id)
        return account.sync.finished_at !== null && account
      },
      { deadline: patience },
    )
  }
  const isWell = ({ status, sync }: CloudAccount) => status === 'connected' && sync.error === ''

  describe('with many servers', { concurrency: faults.length + 4 }, () => {
    for (const [what, start, message] of faults) {
      test(`${what} loses no server, reports the problem and recovers`, async (t) => {
        t.after(() => failing.delete(what))
        const source = await start(t)
        const account = await attach(source)
        const { id } = account
        assert.ok(isWell(account), account.sync.error)
        const before = await serversOf(account)
        assert.equal(before.length, names.length)

        // A scan that has read everything completes, also after the fault starts.
        const isIdle = async () => (await show(id)).sync.state === 'idle'
        await eventually('no sync running', isIdle, { deadline: patience })
        source.fault.start()
        const brokenSince = timestamp(Date.now())
        // Changes during the fault are visible after it.
        source.remove('two')
        source.add('six')
        await at.admin.get('syncCloudAccount', { path: { id } })
        const failed = await eventually(
          `an error of ${what}: ${message}`,
          async () => {
            const shown = await show(id)
            // The first error may be that the connection was closed.
            const isReported = message.test(shown.sync.error)
            return isReported && shown.status === 'disconnected' && shown
          },
          { deadline: patience },
        )
        // On a slow machine another scan may have followed the first.
        assert.ok((failed.sync.finished_at ?? '') <= brokenSince, 'it was not complete')
        const during = await serversOf(account)
        for (const server of before) assert.ok(during.includes(server), `${server} is gone`)
        assert.equal(new Set(during.map((server) => server.split(' ')[0])).size, during.length)

        if (!what.endsWith('does not answer')) {
          const isTold = async () => {
            const { test: tried } = await at.admin.get<{ test: AccountTest }>('testCloudAccount', {
              path: { id },
            })
            answers.push(JSON.stringify(tried))
            assert.ok(!tried.ok && !tried.is_complete)
            // On a slow machine the time limit of a test may come first.
            return message.test(tried.error)
          }
          await eventually(`the test of ${what} tells ${message}`, isTold, { deadline: patience })
        }

        source.fault.end()
        // After wrong credentials the next attempt follows after a minute or two.
        // A fault that ends between two pages leaves half of a list, and a warning until the next scan.
        const isWellAgain = async () => {
          const shown = await show(id)
          return isWell(shown) && shown.sync.warnings.length === 0
        }
        await eventually(`${what} is well again`, isWellAgain, { deadline: 3 * patience })
        const after = await serversOf(account)
        assert.deepEqual(
          after.map((server) => server.split(' ')[0]),
          ['five', 'four', 'one', 'six', 'three'],
        )
        const kept = before.filter((server) => !server.startsWith('two '))
        assert.deepEqual(
          kept.filter((server) => !after.includes(server)),
          [],
          'who stayed is the same server',
        )
      })
    }

    test('that suddenly lists no servers keeps them until they are listed again', async (t) => {
      const source = await startLibvirt(t, { [connectListAllDomains]: { body: noDomains } })
      const account = await attach(source)
      const before = await serversOf(account)
      source.fault.start()
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      const warned = await eventually(
        'a warning',
        async () => {
          const shown = await show(account.id)
          return shown.sync.warnings.length > 0 && shown
        },
        { deadline: patience },
      )
      source.fault.end()
      // They are read by their ids, so the list must be wrong.
      assert.match(warned.sync.warnings[0]?.text ?? '', /incomplete: 5 servers exist/)
      assert.equal(warned.sync.gone, 0)
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      await eventually(
        'their return',
        async () => (await show(account.id)).sync.warnings.length === 0,
        { deadline: patience },
      )
      assert.deepEqual(await serversOf(account), before)
    })

    test('with fields of several megabytes syncs, and the texts are shortened', async (t) => {
      const inside = `<description>${'x'.repeat(3 * 2 ** 20)}</description>`
      const { address } = await startFakeLibvirt(t, {
        domains: [{ uuid: randomUUID(), name: 'wordy', inside }],
      })
      const account = await attach({ settings: { provider: 'OneCloud', address } })
      assert.ok(isWell(account), account.sync.error)
      const [wordy] = await at.servers(account)
      assert.ok(wordy && wordy.description.length <= 4_096)
    })

    test('with a wrong key syncs as soon as the key is corrected, without waiting for the retry', async (t) => {
      const fake = await startFakeEc2(t)
      fake.instances.set(`i-${randomUUID()}`, { name: 'one' })
      fake.misbehave = ({ authorization }, response) =>
        !authorization.includes('Credential=AKIAGOOD/') && refuse(response, 401, 'AuthFailure')
      const { id } = await at.attach({ provider: 'Aws', ...fake.settings })
      // After two failures the next retry is at least five seconds away.
      await eventually('the key is refused', async () => (await show(id)).sync.error !== '', {
        deadline: patience,
      })
      await at.admin.get('syncCloudAccount', { path: { id } })
      const retryAt = await eventually('it is refused again', async () => {
        const { sync } = await show(id)
        const wait = Date.parse(sync.next_at ?? '') - Date.now()
        return sync.state === 'idle' && wait > 4_000 && (sync.next_at ?? '')
      })
      const credentials = { access_key_id: 'AKIAGOOD', secret_access_key: secret }
      await at.update(id, { credentials })
      const { sync } = await eventually(
        'a sync with the corrected key',
        async () => {
          const account = await show(id)
          return isWell(account) && account
        },
        { deadline: patience },
      )
      assert.ok((sync.started_at ?? '') < retryAt, 'it waited for the retry')
    })

    test('does not affect other sources', async (t) => {
      const fake = await startFakeEc2(t)
      const host = await startFakeLibvirt(t)
      const cloud = await attach({ settings: { provider: 'Aws', ...fake.settings } }, { period: 5 })
      const local = await attach({ settings: { provider: 'OneCloud', address: host.address } })
      const shows = (account: CloudAccount, name: string) =>
        eventually(
          `${name} shows`,
          async () => (await at.servers(account)).some((server) => server.name === name),
          { deadline: 20 },
        )
      for (let turn = 0; turn < 40 && failing.size > silent; turn += 1) {
        const name = `turn-${turn}`
        const uuid = randomUUID()
        host.domains.set(uuid, { uuid, name })
        host.sendEvent({ uuid, name })
        await shows(local, name)
        fake.instances.set(`i-${randomUUID()}`, { name })
        await shows(cloud, name)
        for (const { id } of [local, cloud]) assert.ok(isWell(await show(id)))
      }
    })
  })

  test('does not leak secrets to the log or to readers of the account', () => {
    const failures = log.filter((line) => line.includes('sync failed'))
    assert.ok(failures.length >= faults.length)
    for (const text of [...log, ...answers]) {
      for (const word of secrets) assert.ok(!text.includes(word), text)
    }
    // Muster does not log it as an internal error either.
    for (const text of answers) assert.ok(!text.includes('Muster itself failed'), text)
  })
})
