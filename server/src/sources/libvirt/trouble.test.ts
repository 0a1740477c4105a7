import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startFakeLibvirt, type FakeFault, type FakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  passTimeLimit,
  some,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { requireFailedScan } from '../../testing/inventory-world/check-fault.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { libvirtKind } from './libvirt-kind.ts'
import { procedures } from './protocol.ts'
import { writeDomainHandle } from './records.ts'
import { createXdrWriter } from './xdr.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

/** Longer than a test may last, so that only an abort can end a call. */
const neverLate = 3_600_000

async function requireEndByAbort({ address }: FakeLibvirt, options = {}): Promise<void> {
  const settings = { address, credentials: {}, options }
  const context = { ...conformanceContext, timeLimit: neverLate }
  await assert.rejects(
    libvirtKind.open(settings, context, AbortSignal.timeout(300)),
    isSourceError(/^timeout$/),
  )
}

describe('faults of libvirt', () => {
  const { connectListAllDomains, domainGetXmlDesc } = procedures
  const handles = (count: number, says: number) => {
    const writer = createXdrWriter().uint(count)
    for (const { name, uuid } of some) writeDomainHandle(writer, { name, uuid, id: 1 })
    return { body: writer.uint(says).finish() }
  }
  const twice = createXdrWriter().uint(2)
  for (const { name, uuid } of [domain(1), domain(1)])
    writeDomainHandle(twice, { name, uuid, id: 1 })

  const faults: readonly (readonly [string, number, FakeFault, RegExp])[] = [
    ['does not respond', connectListAllDomains, 'silence', /^timeout$/],
    ['sends garbage', domainGetXmlDesc, 'garbage', /^invalid-response$/],
    [
      'closes the connection in the middle of a message',
      domainGetXmlDesc,
      'truncated',
      /^incomplete$/,
    ],
    ['closes the connection', domainGetXmlDesc, 'closed', /^unreachable$/],
    ['announces a message of a gigabyte', domainGetXmlDesc, 'huge', /^invalid-response$/],
    ['responds to another call', domainGetXmlDesc, 'stranger', /^invalid-response$/],
    ['fails', connectListAllDomains, { error: 38, message: 'disk on fire' }, /^failed$/],
    [
      'denies access',
      connectListAllDomains,
      { error: 88, message: 'access denied' },
      /^forbidden$/,
    ],
    ['closes the connection before the list', connectListAllDomains, 'closed', /^unreachable$/],
    ['lists fewer domains than it counts', connectListAllDomains, handles(3, 4), /^incomplete$/],
    [
      'sends fewer items than the list length',
      connectListAllDomains,
      handles(9, 9),
      /^invalid-response$/,
    ],
    [
      'sends an impossible list length',
      connectListAllDomains,
      handles(0xffff_ffff, 3),
      /^invalid-response$/,
    ],
    [
      'lists a domain twice',
      connectListAllDomains,
      { body: twice.uint(2).finish() },
      /^invalid-response$/,
    ],
  ]
  for (const [what, procedure, fault, kind] of faults) {
    test(`throws if libvirt ${what}`, async (context) => {
      const fake = await startFakeLibvirt(context, { domains: some })
      const source = await openAt(context, fake)
      const existing = await scanAll(source)
      fake.faults.set(procedure, fault)
      const settings = { address: fake.address, credentials: {}, options: {} }
      const scan = () => requireFailedScan(source, { kind: libvirtKind, settings }, existing, kind)
      if (fault === 'silence') await passTimeLimit(context, fake, procedure, scan)
      else await scan()
    })
  }

  test('a scan fails if the connection is closed during it', async (context) => {
    const many = Array.from({ length: 150 }, (_, number) => domain(number))
    const fake = await startFakeLibvirt(context, { domains: many })
    const source = await openAt(context, fake)
    let seen = 0
    await assert.rejects(
      async () => {
        for await (const { present } of source.scan(soon())) {
          seen += present.length
          fake.drop()
        }
      },
      isSourceError(/^unreachable$/),
    )
    assert.equal(seen, 64)
  })

  test('a late response does not break later calls', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const source = await openAt(context, fake)
    fake.faults.set(connectListAllDomains, 'silence')
    await passTimeLimit(context, fake, connectListAllDomains, () =>
      assert.rejects(scanAll(source), isSourceError(/^timeout$/)),
    )
    fake.faults.clear()
    assert.equal((await scanAll(source)).size, 3)
  })

  test('a scan stops as soon as it is aborted', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const source = await openAt(context, fake)
    fake.faults.set(domainGetXmlDesc, 'silence')
    const end = new AbortController()
    setTimeout(() => end.abort(), 50)
    await assert.rejects(
      async () => {
        for await (const page of source.scan(end.signal)) void page
      },
      isSourceError(/^timeout$/),
    )
  })

  test('aborting ends a waiting call, and closing ends all', async (context) => {
    const many = Array.from({ length: 60 }, (_, number) => domain(number))
    const fake = await startFakeLibvirt(context, { domains: many })
    const source = await openAt(context, fake, {}, neverLate)
    fake.faults.set(domainGetXmlDesc, 'silence')
    const [one, other] = [new AbortController(), new AbortController()]
    const scan = source.scan(one.signal)[Symbol.asyncIterator]().next()
    const scanEnds = assert.rejects(scan, isSourceError(/^unreachable$/))
    await pause(200)
    const get = source.get(referTo(uuidOf(1)), other.signal)
    other.abort()
    await assert.rejects(get, isSourceError(/^timeout$/))
    await source.close()
    await scanEnds
  })

  test('aborting ends a connection attempt without a response', async (context) => {
    const faults = { [procedures.authList]: 'silence' } as const
    await requireEndByAbort(await startFakeLibvirt(context, { faults }))
  })

  const authFaults: readonly (readonly [string, number, FakeFault, RegExp, RegExp])[] = [
    [
      'SASL',
      procedures.authList,
      { body: createXdrWriter().uint(1).int(1).finish() },
      /^credentials$/,
      /SASL/,
    ],
    [
      'an unknown method',
      procedures.authList,
      { body: createXdrWriter().uint(1).int(7).finish() },
      /^credentials$/,
      /authentication method/,
    ],
    [
      'polkit',
      procedures.authList,
      { body: createXdrWriter().uint(1).int(2).finish() },
      /^credentials$/,
      /polkit/,
    ],
    [
      'connection refused',
      procedures.connectOpen,
      { error: 45, message: 'authentication failed' },
      /^credentials$/,
      /authentication failed/,
    ],
  ]
  for (const [what, procedure, fault, kind, message] of authFaults) {
    test(`fails to authenticate: ${what}`, async (context) => {
      const fake = await startFakeLibvirt(context, { faults: { [procedure]: fault } })
      await assert.rejects(openAt(context, fake), isSourceError(kind, message))
    })
  }

  test('authenticates with polkit if it allows access', async (context) => {
    const fake = await startFakeLibvirt(context, {
      faults: {
        [procedures.authList]: { body: createXdrWriter().uint(1).int(2).finish() },
        [procedures.authPolkit]: { body: createXdrWriter().int(1).finish() },
      },
    })
    assert.equal((await scanAll(await openAt(context, fake))).size, 0)
  })

  test('a socket that does not exist', async (context) => {
    const gone = { address: 'qemu+unix:///system?socket=/nowhere/libvirt-sock' }
    await assert.rejects(openAt(context, gone), isSourceError(/^unreachable$/, /nowhere/))
  })
})

describe('libvirt over TLS', () => {
  const vouched = { options: { ca: testAuthority } }

  test('reports the same servers as over a socket', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some, certificate: 'issued' })
    assert.equal((await scanAll(await openAt(context, fake, vouched))).size, 3)
  })

  for (const certificate of ['expired', 'elsewhere'] as const) {
    test(`is rejected with a certificate that is ${certificate}`, async (context) => {
      const fake = await startFakeLibvirt(context, { domains: some, certificate })
      await assert.rejects(openAt(context, fake, vouched), isSourceError(/^tls$/))
    })
  }

  test('is rejected with a certificate of an unknown authority', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some, certificate: 'issued' })
    await assert.rejects(openAt(context, fake), isSourceError(/^tls$/))
    const options = { fingerprint: '00'.repeat(32) }
    await assert.rejects(openAt(context, fake, { options }), isSourceError(/^tls$/))
  })

  test('is rejected if the server is not libvirt', async (context) => {
    const welcome = Buffer.from('220 mail ESMTP')
    const fake = await startFakeLibvirt(context, { certificate: 'issued', welcome })
    await assert.rejects(openAt(context, fake, vouched), isSourceError(/^invalid-response$/))
    const silent = await startFakeLibvirt(context, {
      certificate: 'issued',
      welcome: Buffer.alloc(0),
    })
    await assert.rejects(openAt(context, silent, vouched, 200), isSourceError(/^timeout$/))
    await requireEndByAbort(silent, vouched.options)
  })
})
