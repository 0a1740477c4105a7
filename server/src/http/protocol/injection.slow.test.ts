import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, loginAdmin } from '../../testing/client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { dumpLasting } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const quotes = ["'", '"', '`', "''", "\\'", "')", '")', "'))", ';', "';"]
const tails = [
  ' or 1=1',
  ' or 1=1 --',
  " or '1'='1",
  " or ''='",
  ' or true --',
  ' || 1=1 --',
  ' union select null --',
  ' union all select id, password_hash, password_expires_at from users --',
  ' union select sql, 1, 1 from sqlite_master --',
  ' union select version(), null, null --',
  '; drop table users --',
  '; delete from tokens --',
  "; update users set enabled = 1, password_hash = '' --",
  "; insert into settings values ('a', 'b') --",
  '; select pg_sleep(5) --',
  ' and 1=(select count(*) from users) --',
  " and (select pg_sleep(5)) is null or ''='",
  ' and randomblob(1000000000) --',
  ' order by 99 --',
  ' limit 1 offset 1 --',
  ' /*',
  ' */ or 1=1 /*',
  ' #',
  '\n--\n or 1=1',
  "; attach database '/tmp/injected' as x --",
  "; copy users to '/tmp/injected' --",
  '; pragma writable_schema=1 --',
  " like '%",
  ' collate nocase or 1=1 --',
  ' in (select id from users) --',
  " glob '*",
  " regexp '.*",
  " similar to '%",
  ' is not null --',
  ' between 0 and 9 --',
  "=''or'",
  ' and exists(select 1 from users) --',
  "; notify authz, 'x' --",
  '; commit; begin --',
  ' returning * --',
]
const others = [
  '%',
  '_',
  '%%',
  '*',
  '?',
  '$1',
  '$2',
  ':1',
  '@p',
  '?1',
  '{}',
  '${7*7}',
  '{{7*7}}',
  '#{7*7}',
  '<%= 7 %>',
  '%(admin_token)s',
  '%s%s%s%n',
  '$(id)',
  '`id`',
  '|id',
  '&& id',
  '; id',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  'http://169.254.169.254/',
  '*)(uid=*))(|(uid=*',
  '(&(objectClass=*))',
  'admin)(&)',
  '{"$gt":""}',
  '{"$ne":null}',
  '[$ne]=1',
  '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '\r\nX-Injected: 1',
  '\n{"level":"fatal"}',
  '\u001B[2J\u001B[31m',
  '\u202Egnp.exe',
  '\u0001\u0002\u0003',
  '\u007F',
  '\uFEFF',
  '\uFFFD',
  '\uFFFF',
  '\u200B',
  '\u{10FFFF}',
  '💥'.repeat(60),
  'İ'.repeat(60),
  'ﬃ'.repeat(60),
  '\u0345'.repeat(200),
  'Z' + '\u0301'.repeat(200),
  'null',
  'undefined',
  'true',
  'NaN',
  '0',
  '-1',
  '1e309',
  '0x10',
  '00000000-0000-0000-0000-000000000000',
  'constructor',
  '__proto__',
  'toString',
  'known:a:b',
  'account:sysadmin',
  'default',
  ' default',
  'default ',
  'DEFAULT',
  ' ',
  '\t',
  '\u00a0',
  ',',
  "E'\\047'",
  "U&'\\0027'",
  '$$',
  '$tag$',
  "x'00'",
  "'||'",
  "'+'",
  "' '",
  'CHAR(39)',
  '\\',
  '\\\\',
  '\\x00',
  '%27',
  '%2527',
  '%00',
  '&#39;',
  'ʼ',
  'ˈ',
  '＇',
  '＇ or 1=1 --',
  '﹔',
  '；',
]
const corpus = [
  ...quotes.flatMap((quote) => tails.map((tail) => quote + tail)),
  ...tails.map((tail) => `sysadmin${tail}`),
  ...tails.map((tail) => `default${tail}`),
  ...others,
]

type Body = Record<string, unknown>

/** Logins with the text in each field that is used in a statement. */
function loginsInStorage(text: string): Record<string, Body> {
  const user = (reference: Body) => ({
    identity: { methods: ['password'], password: { user: { password: text, ...reference } } },
  })
  return {
    'user.id': user({ id: text }),
    'user.name, user.domain.id': user({ name: text, domain: { id: text } }),
    'user.name, user.domain.name': user({ name: text, domain: { name: text } }),
  }
}

/** Logins with a valid token and the text in each field that is not used in a statement. */
function loginsInMemory(text: string, secret: string): Record<string, Body> {
  const rescope = (scope: unknown) => ({
    identity: { methods: ['token'], token: { id: secret } },
    scope,
  })
  const reference = { id: text, name: text }
  return {
    'scope.project, context': {
      context: { ip: text, source: text },
      ...rescope({ project: { ...reference, domain: reference } }),
    },
    'scope.domain': rescope({ domain: reference }),
    'token.id': { identity: { methods: ['token'], token: { id: text } } },
    'cas_ticket.id': { identity: { methods: ['cas'], cas_ticket: { id: text } } },
    access_key_secret: { identity: { methods: ['aksk'], access_key_secret: text } },
    methods: { identity: { methods: [text] } },
    'a key of auth': { [text]: 1, ...rescope({ project: { id: 'none' } }) },
  }
}

onPostgresFirst('SEC-63 injection', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let secret: string
  before(async () => {
    platform = await startPlatform({ engine })
    // The clock is fixed, so that a delayed user stays delayed.
    const now = Date.now()
    logins = await startMeasuredLogins(platform, { clock: () => now })
    // Unscoped, so that no requested scope is granted.
    secret = await loginAdmin(platform.url, undefined)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  async function isRefused(place: string, text: string, auth: Body): Promise<void> {
    const answer = await ask(logins.url, '/v3/auth/tokens', { method: 'POST', body: { auth } })
    const at = `${place} ${JSON.stringify(text)}: ${answer.status} ${answer.text}`
    assert.ok(answer.status === 400 || answer.status === 401, at)
    assert.equal(answer.headers.get('x-injected'), null, at)
  }

  async function refuseAll(loginsOf: (text: string) => Record<string, Body>): Promise<void> {
    const before = await dumpLasting(platform.database)
    for (let start = 0; start < corpus.length; start += 12) {
      const sendings = corpus
        .slice(start, start + 12)
        .flatMap((text) =>
          Object.entries(loginsOf(text)).map(([place, auth]) => isRefused(place, text, auth)),
        )
      await Promise.all(sendings)
    }
    assert.deepEqual(await dumpLasting(platform.database), before)
  }

  test(`SEC-63 ${corpus.length} texts in a credential cause no changes and no server errors`, async () => {
    assert.ok(new Set(corpus).size >= 500)
    await refuseAll(loginsInStorage)
  })

  // These are rejected before they reach the database.
  if (engine === 'sqlite') {
    test(`SEC-63 ${corpus.length} texts elsewhere in a login cause no changes and no server errors`, async () => {
      await refuseAll((text) => loginsInMemory(text, secret))
    })
  }

  test('SEC-63 the same texts in headers and queries cause no server errors', async () => {
    const headers = ['x-auth-token', 'x-subject-token', 'x-request-id', 'x-forwarded-for', 'accept']
    const sendable = corpus.filter((text) => /^[\x20-\x7e]+$/.test(text)).slice(0, 150)
    for (const text of sendable) {
      const answers = await Promise.all([
        ...headers.map((name) =>
          ask(logins.url, '/v3/auth/projects', { headers: { [name]: text } }),
        ),
        ask(logins.url, `/v3/auth/projects?${encodeURIComponent(text)}=1`, { token: secret }),
        ask(logins.url, '/v3/auth/tokens', { token: secret, headers: { 'x-subject-token': text } }),
      ])
      for (const { status } of answers) assert.ok([400, 401, 404].includes(status), text)
    }
  })
})
