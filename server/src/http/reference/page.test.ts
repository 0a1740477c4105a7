import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  errorStatus,
  gatewayOperations,
  operations,
  renderOpenApi,
  type GatewayOperation,
  type Operation,
} from '@muster/contract'
import { renderReferencePage } from './page.ts'

const address = 'https://muster.example.org'
const gateway = { operations: gatewayOperations, url: 'https://console.example.org' }
const everyOperation: readonly (Operation | GatewayOperation)[] = [
  ...operations,
  ...gatewayOperations,
]

const pageOf = (shown: readonly Operation[]) => renderReferencePage(renderOpenApi(shown, [address]))

const { html, contentSecurityPolicy } = renderReferencePage(
  renderOpenApi(operations, [address], gateway),
)
const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? []

const captures = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, captured = '']) => captured)

/** The page as someone reads it. */
const readable = (markup: string) =>
  markup
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const articleOf = (markup: string, id: string) =>
  new RegExp(`<article [^>]*id="${id}"[^]*?</article>`).exec(markup)?.[0] ?? ''

const ping = {
  id: 'ping',
  method: 'GET',
  path: '/ping',
  access: 'public',
  servedBy: ['platform'],
  throughGateway: false,
  cache: 'default',
  rateLimit: 'unlimited',
  tag: 'Service',
  summary: 'Ping',
  responses: { 204: { description: 'Pong' } },
} as const satisfies Operation

const proofs = {
  public: 'Public',
  token: 'X-Auth-Token',
  loopback: 'X-Auth-Token',
  session: '__Host-muster',
}

describe('the reference tells', () => {
  for (const { id, method, path, summary, access } of everyOperation) {
    test(`${method} ${path}`, () => {
      const article = readable(articleOf(html, id))
      for (const fact of [method, path, summary]) assert.ok(article.includes(fact), fact)
      assert.ok(article.includes(proofs[access]))
    })
  }

  test('every class of error and its status', () => {
    const text = readable(html)
    for (const [name, status] of Object.entries(errorStatus)) {
      assert.match(text, new RegExp(`${name}\\s+${status} `))
    }
  })

  test('fields with their types, limits and choices', () => {
    const text = readable(articleOf(html, 'issueToken')).replace(/\s+/g, ' ')
    assert.ok(text.includes('methods array of strings required exactly 1 item one of password,'))
    assert.ok(text.includes('id string 1–64 characters'))
    assert.ok(text.includes('PasswordExpiresAt string or null date-time'))
  })

  test('every parameter of every operation, if only by name where it is told elsewhere', () => {
    for (const { id, query, headers } of everyOperation) {
      const article = articleOf(html, id).toLowerCase()
      const names = [query, headers].flatMap((schema) => Object.keys(schema?.properties ?? {}))
      for (const name of names)
        assert.ok(article.includes(`<code>${name}</code>`), `${id}: ${name}`)
    }
  })

  test('parameters that differ in their names only together, and what a list tells already once', () => {
    const list = readable(articleOf(html, 'listServers')).replace(/\s+/g, ' ')
    const alike =
      /vcpu_count, vmem_size in query array of integers [^]*?Exact value, or one of several/
    assert.match(list, alike)
    const statistics = readable(articleOf(html, 'getServerStatistics')).replace(/\s+/g, ' ')
    assert.match(statistics, /group_by queryarray of strings/)
    assert.match(statistics, /As in List servers: [^]*vcpu_count, vmem_size/)
    assert.doesNotMatch(statistics, /Exact value/)
  })

  test('how to call, with shell variables for what only the caller knows', () => {
    const call = readable(articleOf(html, 'getServer'))
    assert.ok(call.includes(`curl "${address}/servers/$ID" \\\n  --header "X-Auth-Token: $TOKEN"`))
    assert.ok(readable(articleOf(html, 'checkToken')).includes('curl --head'))
    assert.ok(readable(articleOf(html, 'revokeToken')).includes('curl --request DELETE'))
  })

  test('how a page calls its gateway, with all that a browser would say', () => {
    const call = readable(articleOf(html, 'switchScope'))
    assert.ok(call.includes('Needs a session'))
    const lines = [
      `"${gateway.url}/api/session/scope"`,
      '--header "Cookie: $COOKIE"',
      '--header "X-CSRF-Token: $CSRF_TOKEN"',
      '--header "Origin: $ORIGIN"',
    ]
    assert.ok(call.includes(lines.join(' \\\n  ')), call)
    const read = readable(articleOf(html, 'getSession'))
    assert.ok(read.includes('Cookie: $COOKIE') && !read.includes('X-CSRF-Token: '))
  })

  test('nothing of sessions where there is no gateway', () => {
    assert.doesNotMatch(pageOf(operations).html, /tag-sessions|__Host-muster/)
  })

  test('examples that are still the JSON they were', () => {
    const [, json = ''] = /Answer 201[^]*?<code>([^]*?)<\/code>/.exec(html) ?? []
    const issueToken = everyOperation.find(({ id }) => id === 'issueToken')
    assert.deepEqual(JSON.parse(readable(json)), issueToken?.responses[201]?.example)
  })

  test('no way to log in where no tokens are issued', () => {
    assert.doesNotMatch(pageOf([ping]).html, /#log-in/)
  })
})

describe('what is inserted', () => {
  const hostile = `<img src=x onerror="alert('1')"> & \`<b>code</b>\``
  const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; '
  const page = pageOf([
    {
      ...ping,
      summary: hostile,
      description: hostile,
      responses: { 200: { description: hostile, body: {}, example: { [hostile]: hostile } } },
    },
  ])

  test('is escaped', () => {
    assert.ok(page.html.includes(escaped))
    assert.doesNotMatch(page.html, /<img|<b>/)
  })

  test('keeps its code in backticks', () => {
    assert.ok(page.html.includes(`<p>${escaped}<code>&lt;b&gt;code&lt;/b&gt;</code></p>`))
  })

  test('cannot end a word of the shell', () => {
    const body = { name: `it's` }
    const shown = readable(pageOf([{ ...ping, method: 'PUT', body: {}, example: body }]).html)
    assert.ok(shown.includes(String.raw`--data '{ "name": "it'\''s" }'`))
  })
})

describe('the page', () => {
  test('allows its own style and nothing else', () => {
    const hash = createHash('sha256').update(style).digest('base64')
    assert.equal(
      contentSecurityPolicy,
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    assert.equal(html.match(/<style/g)?.length, 1)
  })

  test('has no script, no inline style and nothing from elsewhere', () => {
    assert.doesNotMatch(html, /<script|<link|<img|<iframe|<object|<form/i)
    assert.doesNotMatch(html, /<[^>]*\s(?:src|srcset|style|on\w+)=/i)
    assert.doesNotMatch(style, /url\(|@import/i)
    const outward = captures(html, /href="([^"]*)"/g).filter((href) => !href.startsWith('#'))
    assert.deepEqual(outward, [`${address}/openapi.json`])
  })

  test('has a heading of each level before any of the next', () => {
    const levels = captures(html, /<h([1-6])[ >]/g).map(Number)
    assert.equal(levels.filter((level) => level === 1).length, 1)
    levels.reduce((previous, level) => {
      assert.ok(level <= previous + 1, `h${level} after h${previous}`)
      return level
    }, 0)
  })

  test('leads every link in it somewhere, and nowhere twice', () => {
    const ids = captures(html, /\sid="([^"]*)"/g)
    assert.equal(new Set(ids).size, ids.length)
    const [contents = ''] = /<nav[^]*?<\/nav>/.exec(html) ?? []
    for (const { id } of everyOperation) assert.ok(contents.includes(`href="#${id}"`), id)
    for (const target of captures(html, /href="#([^"]*)"/g)) assert.ok(ids.includes(target), target)
    for (const name of captures(html, /aria-labelledby="([^"]*)"/g)) assert.ok(ids.includes(name))
  })

  test('is light', () => {
    const size = gzipSync(html).length
    assert.ok(size < 20_000 + 500 * everyOperation.length, `${size} bytes`)
  })
})

describe('colours reach a contrast of 4.5', () => {
  const [light = {}, dark = {}] = captures(style, /:root \{([^}]*)\}/g).map(
    (block): Record<string, string> =>
      Object.fromEntries(
        [...block.matchAll(/--(\w+): (#\w{6})/g)].map(([, name, colour]) => [name, colour]),
      ),
  )
  for (const [scheme, colours] of Object.entries({ light, dark })) {
    test(scheme, () => {
      const { paper = '', surface = '', line: _, ...texts } = colours
      assert.ok(Object.keys(texts).length > 5)
      for (const [name, text] of Object.entries(texts)) {
        for (const ground of [paper, surface]) {
          assert.ok(contrast(text, ground) >= 4.5, `${name} on ${ground}`)
        }
      }
    })
  }
})

/** As WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = captures(colour, /([\da-f]{2})/g).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
