import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startFakeLibvirt, type FakeFault, type FakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  some,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { libvirtKind } from './libvirt-kind.ts'
import { procedures } from './protocol.ts'
import { writeDomainHandle } from './records.ts'
import { createXdrWriter } from './xdr.ts'

/** Opening it does not last longer than somebody wants. */
async function requirePromptEnd({ address }: FakeLibvirt, options = {}): Promise<void> {
  const settings = { address, credentials: {}, options }
  const start = performance.now()
  await assert.rejects(
    libvirtKind.open(settings, conformanceContext, AbortSignal.timeout(300)),
    isSourceError(/^timeout$/),
  )
  assert.ok(performance.now() - start < 1_300)
}

describe('libvirt in trouble', () => {
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
    ['says nothing', connectListAllDomains, 'silence', /^timeout$/],
    ['says something else', domainGetXmlDesc, 'garbage', /^invalid-response$/],
    ['stops in mid-sentence', domainGetXmlDesc, 'truncated', /^incomplete$/],
    ['hangs up', domainGetXmlDesc, 'closed', /^unreachable$/],
    ['announces a gigabyte', domainGetXmlDesc, 'huge', /^invalid-response$/],
    ['answers another question', domainGetXmlDesc, 'stranger', /^invalid-response$/],
    ['fails', connectListAllDomains, { error: 38, message: 'disk on fire' }, /^failed$/],
    ['denies', connectListAllDomains, { error: 88, message: 'access denied' }, /^forbidden$/],
    ['hangs up before the list', connectListAllDomains, 'closed', /^unreachable$/],
    ['lists fewer than it says', connectListAllDomains, handles(3, 4), /^incomplete$/],
    ['lists fewer than it counts', connectListAllDomains, handles(9, 9), /^invalid-response$/],
    [
      'counts more than can be',
      connectListAllDomains,
      handles(0xffff_ffff, 3),
      /^invalid-response$/,
    ],
    [
      'lists one twice',
      connectListAllDomains,
      { body: twice.uint(2).finish() },
      /^invalid-response$/,
    ],
  ]
  for (const [what, procedure, fault, kind] of faults) {
    test(`throws when it ${what}`, async (context) => {
      const fake = await startFakeLibvirt(context, {
        domains: some,
        faults: { [procedure]: fault },
      })
      const source = await openAt(context, fake, {}, 300)
      await assert.rejects(scanAll(source), isSourceError(kind))
    })
  }

  test('ends a scan in its middle when it hangs up there', async (context) => {
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

  test('that answers late is still understood afterwards', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const source = await openAt(context, fake, {}, 200)
    fake.faults.set(connectListAllDomains, 'silence')
    await assert.rejects(scanAll(source), isSourceError(/^timeout$/))
    fake.faults.clear()
    assert.equal((await scanAll(source)).size, 3)
  })

  test('stops as soon as it is told to', async (context) => {
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

  test('ends at once when it is told to, however many calls wait', async (context) => {
    const many = Array.from({ length: 60 }, (_, number) => domain(number))
    const fake = await startFakeLibvirt(context, { domains: many })
    const source = await openAt(context, fake, {}, 60_000)
    fake.faults.set(domainGetXmlDesc, 'silence')
    const [one, other] = [new AbortController(), new AbortController()]
    const scan = source.scan(one.signal)[Symbol.asyncIterator]().next()
    const scanEnds = assert.rejects(scan, isSourceError(/^unreachable$/))
    await pause(200)
    const get = source.get({ externalId: uuidOf(1), regionId: '' }, other.signal)
    const start = performance.now()
    other.abort()
    await assert.rejects(get, isSourceError(/^timeout$/))
    assert.ok(performance.now() - start < 500)
    await source.close()
    await scanEnds
    assert.ok(performance.now() - start < 1_500)
  })

  test('is left at once when it says nothing and it is told to end', async (context) => {
    const faults = { [procedures.authList]: 'silence' } as const
    await requirePromptEnd(await startFakeLibvirt(context, { faults }))
  })

  const doors: readonly (readonly [string, number, FakeFault, RegExp, RegExp])[] = [
    [
      'SASL',
      procedures.authList,
      { body: createXdrWriter().uint(1).int(1).finish() },
      /^credentials$/,
      /SASL/,
    ],
    [
      'something new',
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
      'nobody',
      procedures.connectOpen,
      { error: 45, message: 'authentication failed' },
      /^credentials$/,
      /authentication failed/,
    ],
  ]
  for (const [what, procedure, fault, kind, message] of doors) {
    test(`says that it does not get past a door for ${what}`, async (context) => {
      const fake = await startFakeLibvirt(context, { faults: { [procedure]: fault } })
      await assert.rejects(openAt(context, fake), isSourceError(kind, message))
    })
  }

  test('gets past polkit where that lets it', async (context) => {
    const fake = await startFakeLibvirt(context, {
      faults: {
        [procedures.authList]: { body: createXdrWriter().uint(1).int(2).finish() },
        [procedures.authPolkit]: { body: createXdrWriter().int(1).finish() },
      },
    })
    assert.equal((await scanAll(await openAt(context, fake))).size, 0)
  })

  test('does not exist', async (context) => {
    const gone = { address: 'qemu+unix:///system?socket=/nowhere/libvirt-sock' }
    await assert.rejects(openAt(context, gone), isSourceError(/^unreachable$/, /nowhere/))
  })
})

describe('libvirt by TLS', () => {
  const vouched = { options: { ca: testAuthority } }

  test('tells the same', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some, certificate: 'issued' })
    assert.equal((await scanAll(await openAt(context, fake, vouched))).size, 3)
  })

  for (const certificate of ['expired', 'elsewhere'] as const) {
    test(`is not believed with a certificate that is ${certificate}`, async (context) => {
      const fake = await startFakeLibvirt(context, { domains: some, certificate })
      await assert.rejects(openAt(context, fake, vouched), isSourceError(/^tls$/))
    })
  }

  test('is not believed where nobody vouches for it', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some, certificate: 'issued' })
    await assert.rejects(openAt(context, fake), isSourceError(/^tls$/))
    const options = { fingerprint: '00'.repeat(32) }
    await assert.rejects(openAt(context, fake, { options }), isSourceError(/^tls$/))
  })

  test('is something else that speaks TLS', async (context) => {
    const welcome = Buffer.from('220 mail ESMTP')
    const fake = await startFakeLibvirt(context, { certificate: 'issued', welcome })
    await assert.rejects(openAt(context, fake, vouched), isSourceError(/^invalid-response$/))
    const silent = await startFakeLibvirt(context, {
      certificate: 'issued',
      welcome: Buffer.alloc(0),
    })
    await assert.rejects(openAt(context, silent, vouched, 200), isSourceError(/^timeout$/))
    await requirePromptEnd(silent, vouched.options)
  })
})
