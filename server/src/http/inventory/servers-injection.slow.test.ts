import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { ask, type ClientResponse } from '../../testing/client.ts'
import { askList } from '../../testing/inventory-world/check-against-model.ts'
import { onPostgresFirst, sampleInputs } from '../../testing/lanes.ts'
import { injectionTexts } from '../../testing/injection-texts.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { everything, type ServerQuery } from '../../testing/inventory-world/server-query.ts'

const combine = (starts: readonly string[], ends: readonly string[]) =>
  starts.flatMap((start) => ends.map((end) => start + end))

/** The search's own language, and the patterns of `like`. */
const searching = combine(
  ['"', '"a" ', 'a* ', 'NEAR(', 'text:', '{text starts}:', '^', '-', '(', "' "],
  ['a', 'a AND b', 'a OR 1', 'NOT a', 'a NEAR b', '*', 'text:*', '"', ')', '" OR "'],
)
const likes = combine(
  ['%', '_', '\\', '\\%', '[a-z]', '%%%', '%\\'],
  ['%', "'", '_%_', '\\', '%_%_%_%_%_%a', 'escape', ''],
)

/** Filters and lines that are cut off, nested, or end too early. */
const grammar = combine(
  ["name.contains('", 'name.in(', 'name.like(', 'status:', '-status:', 'tag:', 'ip:', 'vcpu>='],
  ["x'))", "x') or 1=1 --", '(((((', ',,,', "''''", '"', '9'.repeat(40), 'x'.repeat(300)],
)

/** Texts that look like a number, a timestamp or an address. */
const numbers = [
  '9223372036854775807 9223372036854775808 -9223372036854775809 2147483648 99999999999999999999',
  '1e400 0x7fffffff 1_000 ١٢٣ １２ +1 --1 1,5 1/0 NaN -0 00 .5 5.',
  '2026-13-45 0000-00-00 9999-12-31T23:59:60Z 2026-02-30 infinity -infinity epoch now() 1970-01-01',
  '10.0.0.0/33 ::/129 fe80::1%eth0 0x7f.1 1.2.3 999.1.1.1 ::ffff:1.2.3.4/95 /8 10.4.0.0/ 1::2::3',
].flatMap((line) => line.split(' '))

const structures = combine(
  ['{"$gt":"', '[[', '{"a":{"a":', '..%2f', '../', 'file:///', '${', '{{', '<%=', '(?:a+)+', '.*'],
  ['"}', ']]', 'x', 'etc/passwd', '7*7}', '$', '(((a+)+)+)$'],
)

const unicode = [
  '\0',
  'a\0b',
  '\u0001\u0002',
  '\u0002\u0002a',
  'ς',
  'İ',
  'ﬃ',
  '\u0301\u0301',
  '\u200B',
  '\u{1F468}\u200D\u{1F469}',
  '\uFFFE',
  '\u202Eabc',
  '\r\n',
  '\u2028',
  '\uFEFF',
  'Ω'.repeat(500),
  '𝒜'.repeat(255),
  'a'.repeat(4_096),
  '%'.repeat(200),
  `${'%a'.repeat(120)}b`,
  '('.repeat(1_000),
  '"'.repeat(255),
  ' '.repeat(255),
]

/** Attack texts for every part of a server query. */
const serverInjectionTexts: readonly string[] = [
  ...new Set([
    ...injectionTexts,
    ...searching,
    ...likes,
    ...grammar,
    ...numbers,
    ...structures,
    ...unicode,
  ]),
]

const atOnce = 16

/** Parameters with their own syntax: a text there is at most an error. */
const rawPlaces = [
  'limit offset marker paging_marker order_by order filter q ip field scope created_since format',
  'expired_at vcpu_count is_gpu pending_delete filter_any export_keys obj_tags.0.0.key status.0',
  'details deleted',
]
  .flatMap((line) => line.split(' '))
  .map((name) => (text: string) => `/servers?${name}=${text}`)
const furtherPlaces: ((text: string) => string)[] = [
  (text) => `/servers?${text}=1`,
  (text) => `/servers?${text}`,
  (text) => `/servers?filter=name.${text}(1)`,
  (text) => `/servers?filter=${text}.equals(1)`,
  (text) => `/servers?filter=vcpu_count.in(${text})`,
  (text) => `/servers?q=-${text}:1`,
  (text) => `/servers?q=tag:${text}`,
  (text) => `/servers/statistics?group_by=${text}`,
  (text) => `/servers/statistics?group_by=metadata.${text}`,
  (text) => `/servers/${text}`,
  (text) => `/servers/${text}/metadata`,
]
const places = [...rawPlaces, ...furtherPlaces]

/** Plain text parameters, for which the model predicts the result. */
const meanings: ((text: string) => Partial<ServerQuery>)[] = [
  (text) => ({ search: text }),
  (text) => ({ tags: [text] }),
  (text) => ({ tags: [`env=${text}`] }),
  (text) => ({ terms: [{ kind: 'search', text, isNegated: false }] }),
  (text) => ({ terms: [{ kind: 'tag', values: [`env=${text}`], isNegated: true }] }),
  ...['name', 'status', 'id', 'host', 'project', 'description', 'provider', 'os_name'].map(
    (name) => (text: string) => ({ parameters: [{ name, values: [text, 'x'], isNumbered: true }] }),
  ),
  ...(['contains', 'startswith', 'endswith', 'like', 'equals', 'gt', 'notin'] as const).flatMap(
    (operator) =>
      ['name', 'description', 'zone', 'project'].map((field) => (text: string) => ({
        filters: [{ field, operator, values: [text] }],
      })),
  ),
]

/** Each text in some of the places in turn, and now and then one in all of them. */
const spread = <Place>(all: readonly Place[], share: number): [Place, string][] =>
  sampleInputs(serverInjectionTexts).flatMap((text, index) =>
    Array.from({ length: index % 60 === 0 ? all.length : share }, (_, step): [Place, string] => [
      all[(index * share + step) % all.length] as Place,
      text,
    ]),
  )

/** Texts that are rejected for their length or characters. */
const isUnaskable = (text: string) => text.includes('\0') || text.length > 255 || text === ''

onPostgresFirst('SEC-63: injection into server queries', (engine) => {
  let fleet: InventoryWorld
  let servers: Server[]
  let visible: Set<string>
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 4, servers: 80 })
    servers = fleet.world.servers()
    const own = servers.filter(({ project_id }) => project_id === fleet.projects[0]?.id)
    visible = new Set(own.map(({ id }) => id))
  })
  after(() => fleet.platform.close())

  async function inTurns<Item>(items: readonly Item[], send: (item: Item) => Promise<void>) {
    for (let at = 0; at < items.length; at += atOnce) {
      await Promise.all(items.slice(at, at + atOnce).map(send))
    }
  }

  /** Asserts that a response has only the caller's servers or a client error. */
  function assertHarmless(answer: ClientResponse, at: string): void {
    const { status, headers, body, text } = answer
    assert.ok([200, 400, 403, 404, 409].includes(status), `${at}: ${status} ${text.slice(0, 300)}`)
    assert.equal(headers.get('x-injected'), null, at)
    const rows = (body as { servers?: Partial<Server>[] } | undefined)?.servers ?? []
    if (status === 200) for (const { id } of rows) assert.ok(!id || visible.has(id), at)
  }

  const send = async (path: string) =>
    assertHarmless(await ask<unknown>(fleet.url, path, { token: fleet.callers.owner.token }), path)

  test(`${serverInjectionTexts.length} texts in every parameter cause no errors and no changes`, async () => {
    assert.ok(serverInjectionTexts.length >= 500, `${serverInjectionTexts.length}`)
    const earlier = await dumpTables(fleet.platform.database)
    await inTurns(spread(places, 1), ([place, text]) => send(place(encodeURIComponent(text))))
    assert.deepEqual(await dumpTables(fleet.platform.database), earlier)
  })

  test('text filters return the same as a reference model', async () => {
    const { owner, admin } = fleet.callers
    await inTurns(spread(meanings, 1), async ([meaning, text]) => {
      if (isUnaskable(text)) return
      await askList(owner, servers, { ...everything, ...meaning(text), limit: 100 })
    })
    // A query without a project or domain uses other indexes.
    await inTurns(spread(meanings, 1), async ([meaning, text]) => {
      if (isUnaskable(text)) return
      await askList(admin, servers, { ...everything, ...meaning(text), scope: 'system', limit: 5 })
    })
  })

  const orders = [
    'order_by=created_at',
    'order_by=name&order=asc',
    'order_by=is_gpu',
    'order_by=expired_at',
    'order_by=vcpu_count&order_by=zone',
    'order_by=project&order_by=id',
    'order_by=disk&search=a',
  ]
  const numbers = [1.5, -1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53 - 1), 1e308]
  const texts = ["' or 1=1 --", '\uD800', 'a\0b', '\u{10FFFF}', 'x'.repeat(2_000), '9'.repeat(30)]
  const values: readonly unknown[] = [...numbers, ...texts, '', null, true, [], {}, [1]]

  /** Markers with one field or another forged. */
  function forgeries(parts: readonly unknown[]): unknown[] {
    const wrong = parts.flatMap((_, at) => values.map((value) => parts.with(at, value)))
    const lengths = [[], parts.slice(1), parts.slice(0, -1), [...parts, 'x'], [...parts, ...parts]]
    return [...wrong, ...lengths, [parts], Object.fromEntries(parts.entries()), 'text', 7, null]
  }

  const encoded = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')

  test('forged markers show no other servers', async () => {
    const { token } = fleet.callers.owner
    const ask1 = (query: string) => ask<unknown>(fleet.url, `/servers?${query}`, { token })
    const markers: string[] = []
    for (const order of orders) {
      const link = (await ask1(`${order}&limit=3`)).headers.get('link') ?? ''
      const marker = /marker=([\w-]+)/.exec(link)?.[1] ?? assert.fail(`${order}: ${link}`)
      markers.push(marker)
      const parts = JSON.parse(Buffer.from(marker, 'base64url').toString()) as unknown[]
      const flipped = Array.from(
        marker,
        (_, at) => marker.slice(0, at) + 'A' + marker.slice(at + 1),
      )
      const torn = [
        `${marker}=`,
        `${marker}AAAA`,
        marker.slice(1),
        `${marker}%00`,
        'A'.repeat(4_096),
      ]
      const mutants = [...forgeries(parts).map(encoded), ...flipped, ...torn]
      await inTurns(mutants, (mutant) => send(`/servers?${order}&marker=${mutant}`))
      await inTurns(mutants.slice(0, 20), (mutant) =>
        send(`/servers?${order}&format=csv&marker=${mutant}`),
      )
    }
    for (const [at, marker] of markers.entries()) {
      const other = orders[(at + 1) % orders.length] ?? ''
      assert.equal((await ask1(`${other}&marker=${marker}`)).status, 400)
      assert.equal((await ask1(`${orders[at]}&marker=${marker}&offset=0`)).status, 400)
      assert.equal((await ask1(`${orders[at]}&marker=${marker}&status=ready`)).status, 400)
      assert.equal((await ask1(`${orders[at]}&marker=${marker}`)).status, 200)
    }
  })

  test('the texts as metadata are stored unchanged and can be found', async () => {
    const { owner } = fleet.callers
    const [id = ''] = visible
    // An incompressible text of the maximum length.
    const long = String.fromCodePoint(
      ...Array.from({ length: 1024 }, (_, at) => 0x4e00 + ((at * 7919 + at * at) % 20_000)),
    )
    for (const text of [...serverInjectionTexts.filter((_, at) => at % 4 === 0), long, '\uD800x']) {
      const [key, value] = [text.slice(0, 100).replaceAll('=', '~'), text.slice(0, 1024)]
      const answer = await owner.call<{ metadata: Record<string, string> }>(
        'replaceServerMetadata',
        { path: { id }, body: { metadata: { [key]: value } } },
      )
      const at = `${JSON.stringify(text.slice(0, 60))}: ${answer.status} ${answer.text.slice(0, 200)}`
      assert.ok([200, 400].includes(answer.status), at)
      if (answer.status !== 200) continue
      assert.equal(answer.body.metadata[`user:${key.replace(/^user:/, '')}`], value, at)
      const tag = encodeURIComponent(`user:${key.replace(/^user:/, '')}=${value}`)
      const found = await owner.get<{ total: number }>('listServers', {
        query: `tags=${tag}&pending_delete=all`,
      })
      assert.equal(found.total, 1, at)
    }
  })
})
