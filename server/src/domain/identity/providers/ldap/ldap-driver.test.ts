import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, test, type TestContext } from 'node:test'
import { createAddressRule } from '../../../../egress/allowed-addresses.ts'
import { createOpenLdap } from '../../../../egress/open-ldap.ts'
import {
  fakeGroup,
  fakePerson,
  ldapEmptyPage,
  ldapReference,
  ldapResult,
  startFakeLdap,
  type FakeLdap,
} from '../../../../testing/fake-ldap.ts'
import { testAuthority } from '../../../../testing/secure-server.ts'
import { readOptions, type ProviderOptions } from '../read-options.ts'
import { createLdapDriver } from './ldap-driver.ts'

const {
  checkPassword,
  readPeople,
  options: described,
} = createLdapDriver({
  openLdap: createOpenLdap(createAddressRule(['localhost'])),
})

const optionsFor = (servers: string, changes: object = {}): ProviderOptions =>
  readOptions(described, () => undefined, {
    options: {
      servers,
      base_dn: 'dc=example,dc=org',
      bind_dn: 'cn=reader,dc=example,dc=org',
      bind_password: 'of the reader',
      ca: testAuthority,
      ...changes,
    },
  })

const ways = {
  'search and bind': {},
  'direct bind': { user_dn: 'uid={name},ou=people,dc=example,dc=org' },
  'direct bind without a reader': {
    user_dn: 'uid={name},ou=people,dc=example,dc=org',
    bind_dn: '',
    bind_password: '',
  },
}
const channels = {
  'plain on loopback': [{}, { plain_text: 'loopback' }],
  StartTLS: [{}, {}],
  LDAPS: [{ isTls: true }, {}],
} as const

/** Names with a meaning in filters, in distinguished names, or nowhere. */
const oddNames = [
  'a*',
  '*',
  'o(dd)',
  String.raw`back\slash`,
  String.raw`\2a`,
  'com,ma',
  'plus+',
  'quo"te',
  "apo'strophe",
  'semi;colon',
  'less<than>',
  'equals=',
  '#hash',
  ' leading',
  'trailing ',
  '张三',
  'Jörg',
  'ada)(uid=*',
  '*)(objectClass=*',
]

const limit = () => performance.now() + 2_000

async function start(t: TestContext, options: Parameters<typeof startFakeLdap>[1] = {}) {
  const ldap = await startFakeLdap(t, options)
  ldap.entries.push(
    fakePerson('ada'),
    fakePerson('grace'),
    fakePerson('disabled', { nsAccountLock: ['TRUE'] }),
    fakePerson('gone', { shadowExpire: ['1'] }),
    fakePerson('ad-disabled', { userAccountControl: ['514'] }),
    fakePerson('ad-expired', { accountExpires: ['116444736010000000'] }),
    fakePerson('locked', { pwdAccountLockedTime: ['000001010000Z'] }),
    fakePerson('without-id', { entryUUID: [] }),
    fakePerson('two-ids', { entryUUID: ['a', 'b'] }),
    fakePerson('fine', {
      shadowExpire: ['-1'],
      accountExpires: ['0'],
      userAccountControl: ['512'],
    }),
  )
  return ldap
}

describe('a password that a directory checks', () => {
  for (const [way, wayOptions] of Object.entries(ways)) {
    for (const [channel, [server, channelOptions]] of Object.entries(channels)) {
      test(`${way}, ${channel}: lets in the right person only`, async (t) => {
        const ldap = await start(t, server)
        const options = optionsFor(ldap.url, { ...wayOptions, ...channelOptions })
        const check = (name: string, password: string) =>
          checkPassword(options, { name, password }, limit())
        const admitted = await check('ada', 'secret of ada')
        assert.ok('person' in admitted)
        assert.deepEqual(
          [admitted.person.subject, admitted.person.profile],
          ['uuid-of-ada', { name: 'ada', displayname: 'Name of ada', email: 'ada@example.org' }],
        )
        assert.ok('person' in (await check('fine', 'secret of fine')))
        const refused: [string, string][] = [
          ['ada', 'secret of grace'],
          ['ada', ''],
          ['', 'secret of ada'],
          ['', ''],
          ['nobody', 'secret of ada'],
          ['EXTERNAL', 'secret of ada'],
          ...[
            'disabled',
            'gone',
            'ad-disabled',
            'ad-expired',
            'locked',
            'without-id',
            'two-ids',
          ].map((name): [string, string] => [name, `secret of ${name}`]),
          ...oddNames.map((name): [string, string] => [name, 'secret of ada']),
        ]
        for (const [name, password] of refused) {
          const verdict = await check(name, password)
          assert.ok('refusal' in verdict, `${name} / ${password}`)
        }
        assert.ok(
          ldap.binds.every(({ password }) => password !== ''),
          'a bind without password',
        )
        const isTls = channel !== 'plain on loopback'
        assert.ok(ldap.binds.every((bind) => bind.isTls === isTls))
      })
    }
  }

  test('an unknown name is the same work for the directory as a wrong password', async (t) => {
    const ldap = await start(t)
    const options = optionsFor(ldap.url)
    const workFor = async (name: string) => {
      const before = [ldap.binds.length, ldap.state.searches, ldap.state.connections]
      assert.ok('refusal' in (await checkPassword(options, { name, password: 'wrong' }, limit())))
      const after = [ldap.binds.length, ldap.state.searches, ldap.state.connections]
      return after.map((count, index) => count - (before[index] ?? 0))
    }
    ldap.entries.push({ ...fakePerson('ada'), dn: 'uid=ada,ou=elsewhere,dc=example,dc=org' })
    const work = await workFor('grace')
    assert.deepEqual(await workFor('nobody'), work)
    assert.deepEqual(await workFor('ada'), work, 'two people')
    const login = { name: 'ada', password: 'secret of ada' }
    assert.ok('refusal' in (await checkPassword(options, login, limit())), 'which of the two?')
  })

  test('an expired or disabled account is told by its id, whatever the password', async (t) => {
    const ldap = await start(t)
    for (const password of ['secret of disabled', 'wrong']) {
      const verdict = await checkPassword(
        optionsFor(ldap.url),
        { name: 'disabled', password },
        limit(),
      )
      assert.ok('refusal' in verdict)
      assert.equal(verdict.disabledSubject, 'uuid-of-disabled')
    }
  })

  describe('without a clear answer there is none:', () => {
    type Fault = (ldap: FakeLdap) => void
    const atSearch =
      (
        act: (
          socket: Parameters<NonNullable<FakeLdap['state']['fault']>>[1],
          id: number,
        ) => unknown,
      ): Fault =>
      ({ state }) => {
        state.fault = (operation, socket, id) => {
          if (operation !== 'search') return false
          act(socket, id)
          return true
        }
      }
    const always =
      (
        act: (
          socket: Parameters<NonNullable<FakeLdap['state']['fault']>>[1],
          id: number,
        ) => unknown,
      ): Fault =>
      ({ state }) => {
        state.fault = (_, socket, id) => {
          act(socket, id)
          return true
        }
      }
    const faults: Record<string, readonly [RegExp, Fault]> = {
      refused: [/refuses the connection/, (ldap) => ldap.close()],
      silent: [/no response within/, always(() => {})],
      garbage: [
        /does not speak LDAP/,
        always((socket) => socket.write('HTTP/1.1 400 Bad Request')),
      ],
      'a message that never ends': [
        /more than 1048576 bytes/,
        always((socket) => socket.write(Buffer.from('3084ffffffff', 'hex'))),
      ],
      'thousands of small messages': [
        /no response within|more than 16777216 bytes/,
        always((socket) => {
          const small = ldapResult(99, 0x61, 0)
          for (let times = 0; times < 20; times += 1) {
            socket.write(Buffer.concat(Array.from({ length: 5_000 }, () => small)))
          }
        }),
      ],
      'a response without a result code': [
        /does not speak LDAP/,
        always((socket, id) => socket.write(Buffer.from([0x30, 5, 2, 1, id, 0x61, 0]))),
      ],
      'a result code without a value': [
        /does not speak LDAP/,
        always((socket, id) => socket.write(Buffer.from([0x30, 7, 2, 1, id, 0x61, 2, 0x0a, 0]))),
      ],
      'closes midway': [/closed the connection/, atSearch((socket) => socket.destroy())],
      'closes in a message': [
        /closed the connection/,
        atSearch((socket, id) => socket.end(ldapResult(id, 0x65, 0).subarray(0, 9))),
      ],
      referral: [/0xa/, atSearch((socket, id) => socket.write(ldapResult(id, 0x65, 10)))],
      'size limit': [/0x4/, atSearch((socket, id) => socket.write(ldapResult(id, 0x65, 4)))],
      'an empty page before the last one': [
        /empty page/,
        atSearch((socket, id) => socket.write(ldapEmptyPage(id))),
      ],
      'time limit': [/0x3/, atSearch((socket, id) => socket.write(ldapResult(id, 0x65, 3)))],
      busy: [/0x33/, always((socket, id) => socket.write(ldapResult(id, 0x61, 51)))],
      'the reader is refused': [/bind_dn/, always((s, id) => s.write(ldapResult(id, 0x61, 49)))],
    }
    for (const [name, [reason, fault]] of Object.entries(faults)) {
      test(name, async (t) => {
        const ldap = await start(t)
        fault(ldap)
        const options = optionsFor(ldap.url, { plain_text: 'loopback' })
        const login = { name: 'ada', password: 'secret of ada' }
        const attempt = checkPassword(options, login, performance.now() + 400)
        await assert.rejects(attempt, ({ message }: Error) => reason.test(message))
        // A sync has more time than a test.
        if (reason.test('no response within')) return
        await assert.rejects(readPeople(options, ['uuid-of-ada']), reason)
      })
    }
  })

  test('a long text of the server is cut', async (t) => {
    const ldap = await start(t)
    ldap.state.fault = (operation, socket, id) =>
      operation === 'search' && socket.write(ldapResult(id, 0x65, 4, 'x'.repeat(10_000)))
    const attempt = checkPassword(optionsFor(ldap.url), { name: 'ada', password: 'y' }, limit())
    await assert.rejects(attempt, ({ message }: Error) => /^x{1,190} Code: 0x4$/.test(message))
  })

  test('a referral to another server is not followed', async (t) => {
    const ldap = await start(t)
    const other = await start(t)
    ldap.state.fault = (operation, socket, id) => {
      if (operation === 'search') socket.write(ldapReference(id, `${other.url}/dc=example,dc=org`))
    }
    const login = { name: 'ada', password: 'secret of ada' }
    assert.ok('person' in (await checkPassword(optionsFor(ldap.url), login, limit())))
    assert.equal(other.state.connections, 0)
  })

  test('a password never crosses a network without TLS, unless an option says so', async (t) => {
    const login = { name: 'ada', password: 'secret of ada' }
    const cases = [
      ['StartTLS refused', { startTls: 2 }, {}, /refuses StartTLS/],
      ['another authority', {}, { ca: '' }, /certificate/],
      ['LDAPS, another authority', { isTls: true }, { ca: '' }, /certificate/],
      ['another name', { certificate: 'elsewhere' }, {}, /another name/],
      ['expired', { isTls: true, certificate: 'expired' }, {}, /expired/],
    ] as const
    for (const [name, server, changes, reason] of cases) {
      const ldap = await start(t, server)
      const attempt = checkPassword(optionsFor(ldap.url, changes), login, limit())
      await assert.rejects(attempt, reason, name)
      assert.deepEqual(ldap.binds, [], name)
    }
  })

  test('plain text for this machine is refused to another', async (t) => {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    const own = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address
    if (own === undefined) return t.skip('this machine has no address but loopback')
    const ldap = await start(t, { address: own })
    const driver = createLdapDriver({ openLdap: createOpenLdap(createAddressRule([own])) })
    const login = { name: 'ada', password: 'secret of ada' }
    const check = (plain_text: string) =>
      driver.checkPassword(optionsFor(ldap.url, { plain_text }), login, limit())
    await assert.rejects(check('loopback'), /not on this machine/)
    assert.deepEqual(ldap.binds, [])
    assert.ok('person' in (await check('always')))
  })

  test('what a server sends before TLS is never taken for its answer', async (t) => {
    const ldap = await start(t)
    ldap.state.fault = (operation, socket, id) => {
      if (operation !== 'startTls') return false
      // The beginning of a bind response, to be completed by what comes over TLS.
      socket.write(Buffer.concat([ldapResult(id, 0x78, 0), ldapResult(2, 0x61, 0).subarray(0, 10)]))
      return true
    }
    const login = { name: 'ada', password: 'secret of ada' }
    await assert.rejects(
      checkPassword(optionsFor(ldap.url), login, limit()),
      /more than its response/,
    )
    assert.deepEqual(ldap.binds, [])
  })

  test('the next server is asked if one gives no answer, each in its time', async (t) => {
    const good = await start(t)
    const login = { name: 'ada', password: 'secret of ada' }
    const down = await start(t)
    down.close()
    const silent = await start(t)
    silent.state.fault = () => true
    const busy = await start(t)
    busy.state.fault = (operation, socket, id) =>
      operation === 'bind' && socket.write(ldapResult(id, 0x61, 51))
    const servers = [down, silent, busy, good].map(({ url }) => url).join(' ')
    const soon = () => performance.now() + 800
    assert.ok('person' in (await checkPassword(optionsFor(servers), login, soon())))
    const wrong = await checkPassword(optionsFor(servers), { ...login, password: 'x' }, soon())
    assert.ok('refusal' in wrong)
  })

  test('a server that is silent is left alone after five attempts', async (t) => {
    const silent = await start(t)
    silent.state.fault = () => true
    const login = { name: 'ada', password: 'secret of ada' }
    const attempt = () => checkPassword(optionsFor(silent.url), login, performance.now() + 50)
    for (let times = 0; times < 5; times += 1) await assert.rejects(attempt(), /no response within/)
    await assert.rejects(attempt(), /not contacted/)
  })

  test('an address that is not allowed is not contacted', async (t) => {
    const ldap = await start(t)
    const strict = createLdapDriver({
      openLdap: createOpenLdap(createAddressRule([])),
    })
    const login = { name: 'ada', password: 'secret of ada' }
    await assert.rejects(strict.checkPassword(optionsFor(ldap.url), login, limit()), /source-allow/)
    assert.equal(ldap.state.connections, 0)
  })
})

describe('the groups of a person', () => {
  const groupsOf = async (ldap: FakeLdap, changes: object = {}) => {
    const login = { name: 'ada', password: 'secret of ada' }
    const verdict = await checkPassword(optionsFor(ldap.url, changes), login, limit())
    assert.ok('person' in verdict)
    return [...(verdict.person.attributes.get('groups') ?? [])].sort()
  }
  const dnOf = (group: string) => `cn=${group},ou=groups,dc=example,dc=org`

  test('are found through other groups, also if these contain each other', async (t) => {
    const ldap = await start(t)
    ldap.entries.push(
      fakeGroup('direct', fakePerson('ada').dn),
      fakeGroup('above', dnOf('direct'), dnOf('top')),
      fakeGroup('top', dnOf('above')),
      fakeGroup('others', fakePerson('grace').dn),
    )
    assert.deepEqual(await groupsOf(ldap), ['above', 'direct', 'top'])
    assert.deepEqual(await groupsOf(ldap, { nested_groups: false }), ['direct'])
    assert.deepEqual(await groupsOf(ldap, { group_filter: '' }), [])
  })

  test('are all there, or the login fails', async (t) => {
    const ldap = await start(t)
    for (let level = 0; level < 12; level += 1) {
      ldap.entries.push(
        fakeGroup(`level${level}`, level === 0 ? fakePerson('ada').dn : dnOf(`level${level - 1}`)),
      )
    }
    await assert.rejects(groupsOf(ldap), /more than 10 levels/)
    const many = await start(t)
    for (let index = 0; index < 1_001; index += 1) {
      many.entries.push(fakeGroup(`group${index}`, fakePerson('ada').dn))
    }
    await assert.rejects(groupsOf(many), /more than 1000 groups/)
  })

  test('a group with the name of a person does not make its members that person', async (t) => {
    const ldap = await start(t)
    ldap.entries.push(fakeGroup('grace', fakePerson('ada').dn), {
      ...fakeGroup('of grace'),
      attributes: { cn: ['of grace'], memberUid: ['grace'] },
    })
    const filter = { group_filter: '(|(member={dn})(memberUid={name}))' }
    assert.deepEqual(await groupsOf(ldap, filter), ['grace'])
  })
})
