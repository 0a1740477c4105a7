import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from '../../../error.ts'
import { parseCasResponse } from './parse-cas-response.ts'
import { runsInLane } from '../../../../testing/lanes.ts'

const namespace = 'xmlns:cas="http://www.yale.edu/tp/cas"'
const respond = (content: string) =>
  `<cas:serviceResponse ${namespace}>${content}</cas:serviceResponse>`
const succeed = (content: string) =>
  respond(`<cas:authenticationSuccess>${content}</cas:authenticationSuccess>`)
const fail = (content: string, attributes = 'code="INVALID_TICKET"') =>
  respond(`<cas:authenticationFailure ${attributes}>${content}</cas:authenticationFailure>`)
const admin = '<cas:user>admin</cas:user>'
const success = succeed(admin)
const attribute = (name: string, value: string) => `<cas:${name}>${value}</cas:${name}>`
const withAttributes = (content: string) =>
  succeed(`${admin}<cas:attributes>${content}</cas:attributes>`)

/** The reason that the log gets for a refusal. */
function reasonFor(xml: string): string {
  try {
    parseCasResponse(xml)
  } catch (error) {
    assert.ok(error instanceof PlatformError)
    assert.equal(error.class, 'UnauthorizedError')
    assert.ok(!error.message.includes('CAS'), 'the caller must not learn why')
    return String(error.cause)
  }
  assert.fail(`took ${xml.slice(0, 300)}`)
}

const billionLaughs = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from(
  { length: 9 },
  (_, step) => `<!ENTITY lol${step + 1} "${`&lol${step || ''};`.repeat(10)}">`,
).join('')}]>${succeed('<cas:user>&lol9;</cas:user>')}`

/** SEC-43: refused by looking at the text, so the parser never sees them. */
const unparsed: Readonly<Record<string, readonly [xml: string, reason: RegExp]>> = {
  'a document type': [`<!DOCTYPE x>${success}`, /declares/],
  'a document type in small letters': [`<!doctype x>${success}`, /declares/],
  'a document type of HTML': ['<!DOCTYPE html><html><body>Sign in</body></html>', /declares/],
  'a billion laughs': [billionLaughs, /declares/],
  'a quadratic blowup': [
    `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(30_000)}">]>${succeed(`<cas:user>${'&a;'.repeat(5_000)}</cas:user>`)}`,
    /declares/,
  ],
  'an external entity for a file': [
    `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>${succeed('<cas:user>&f;</cas:user>')}`,
    /declares/,
  ],
  'an external entity for an address': [
    `<!DOCTYPE x [<!ENTITY f SYSTEM "http://127.0.0.1:1/">]>${succeed('<cas:user>&f;</cas:user>')}`,
    /declares/,
  ],
  'a parameter entity': [
    `<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///x"> %p;]>${success}`,
    /declares/,
  ],
  'an external subset': [`<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">${success}`, /declares/],
  'an entity without a document type': [`<!ENTITY a "admin">${success}`, /declares/],
  'an entity inside the success': [succeed(`<!ENTITY a "x">${admin}`), /declares/],
  'a document type after the root': [`${success}<!DOCTYPE x>`, /declares/],
  'a document type in a comment': [succeed(`<!-- <!DOCTYPE x> -->${admin}`), /declares/],
  'an instruction before the root': [`<?php echo 1 ?>${success}`, /instruction/],
  'an instruction after the declaration': [
    `<?xml version="1.0"?><?xml-stylesheet href="x"?>${success}`,
    /instruction/,
  ],
  'an instruction inside the user': [succeed('<cas:user>ad<?x y?>min</cas:user>'), /instruction/],
  'an instruction after the root': [`${success}<?x?>`, /instruction/],
  'a declaration that is not at the start': [` <?xml version="1.0"?>${success}`, /instruction/],
  'two declarations': [`<?xml version="1.0"?><?xml version="1.0"?>${success}`, /instruction/],
  'a megabyte of text': [succeed(`<cas:user>${'a'.repeat(1_000_000)}</cas:user>`), /longer/],
  'a megabyte of blanks': [`${success}${' '.repeat(1_000_000)}`, /longer/],
}

/** SEC-43: what the parser refuses. */
const malformed: Readonly<Record<string, readonly [xml: string, reason: RegExp]>> = {
  nothing: ['', /not well-formed/],
  'a byte order mark alone': ['\uFEFF', /not well-formed/],
  'two byte order marks': [`\uFEFF\uFEFF${success}`, /not well-formed/],
  'plain text': ['yes\nadmin\n', /not well-formed/],
  JSON: ['{"serviceResponse":{"authenticationSuccess":{"user":"admin"}}}', /not well-formed/],
  'a truncated answer': [success.slice(0, -10), /not well-formed/],
  'an answer cut inside the user': [success.slice(0, success.indexOf('min')), /not well-formed/],
  'text after the root': [`${success}x`, /not well-formed/],
  'text before the root': [`x${success}`, /not well-formed/],
  'a second root': [`${fail('no')}${success}`, /not well-formed/],
  'a second root behind the success': [`${success}${success}`, /not well-formed/],
  'an entity that nobody declared': [succeed('<cas:user>&admin;</cas:user>'), /not well-formed/],
  'an entity named like a property': [
    succeed('<cas:user>&toString;&constructor;&__proto__;</cas:user>'),
    /not well-formed/,
  ],
  'a prefix that nobody declared': [
    '<cas:serviceResponse><cas:authenticationSuccess/></cas:serviceResponse>',
    /not well-formed/,
  ],
  'a prefix named like a property': [
    success.replaceAll('cas:', 'constructor:').replace('xmlns:constructor', 'xmlns:cas'),
    /not well-formed/,
  ],
  'tags that cross': [succeed('<cas:user>admin</cas:attributes>'), /not well-formed/],
  'an attribute twice': [fail('', 'code="A" code="B"'), /not well-formed/],
  'a control character': [succeed('<cas:user>ad\u0001min</cas:user>'), /not well-formed/],
  'a control character by reference': [
    succeed('<cas:user>admin&#0;</cas:user>'),
    /not well-formed/,
  ],
  'a control character by reference, of XML 1.1': [
    `<?xml version="1.1"?>${succeed('<cas:user>admin&#1;</cas:user>')}`,
    /not well-formed/,
  ],
  'half of a surrogate pair': [succeed('<cas:user>admin\uD83E</cas:user>'), /not well-formed/],
  'an encoding that it does not have': [
    `<?xml version="1.0" encoding="UTF-7"?>${succeed('<cas:user>+AGEAZABtAGkAbg-</cas:user>')}`,
    /UTF-8/,
  ],
  'deep nesting': [
    succeed(`<cas:user>${'<cas:a>'.repeat(3_000)}${'</cas:a>'.repeat(3_000)}</cas:user>`),
    /deeper/,
  ],
  'nesting one too deep': [respond(`${'<cas:a>'.repeat(8)}${'</cas:a>'.repeat(8)}`), /deeper/],
}

/** SEC-42: well-formed, and not one success. */
const untrue: Readonly<Record<string, readonly [xml: string, reason: RegExp]>> = {
  'a failure': [fail('Ticket not recognized'), /refused the ticket, INVALID_TICKET$/],
  'a failure with a user in its text': [fail('&lt;cas:user&gt;admin&lt;/cas:user&gt;'), /refused/],
  'a failure with a user in it': [fail(admin), /refused/],
  'a failure with a user in a comment': [fail(`<!-- ${admin} -->`), /refused/],
  'a failure with a user in CDATA': [fail(`<![CDATA[${admin}]]>`), /refused/],
  'a failure with a user in an attribute': [
    fail('no', 'code="INVALID_TICKET" user="admin"'),
    /refused/,
  ],
  'a failure with a user in its code': [
    fail('no', 'code="&lt;cas:user&gt;admin&lt;/cas:user&gt;"'),
    /without a known code/,
  ],
  'a failure without a code': [fail('no', ''), /without a known code/],
  'a success inside a failure': [
    fail(`<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`),
    /refused/,
  ],
  'a success in a comment in a failure': [
    fail(`<!-- <cas:authenticationSuccess>${admin}</cas:authenticationSuccess> -->`),
    /refused/,
  ],
  'a success in a comment only': [
    respond(`<!-- <cas:authenticationSuccess>${admin}</cas:authenticationSuccess> -->`),
    /one outcome/,
  ],
  'a success in CDATA': [
    respond(`<![CDATA[<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>]]>`),
    /text between/,
  ],
  'a failure beside a success': [
    respond(
      `<cas:authenticationFailure code="X"/><cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`,
    ),
    /one outcome/,
  ],
  'a success beside a failure': [
    respond(
      `<cas:authenticationSuccess>${admin}</cas:authenticationSuccess><cas:authenticationFailure code="X"/>`,
    ),
    /one outcome/,
  ],
  'a success twice': [
    respond(`<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`.repeat(2)),
    /one outcome/,
  ],
  'a success inside a success': [
    succeed(`<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`),
    /unknown element/,
  ],
  'a response inside a response': [respond(success), /no authenticationSuccess/],
  'a success without a response': [
    `<cas:authenticationSuccess ${namespace}>${admin}</cas:authenticationSuccess>`,
    /no serviceResponse/,
  ],
  'a user alone': [`<cas:user ${namespace}>admin</cas:user>`, /no serviceResponse/],
  'a response without an outcome': [respond(''), /one outcome/],
  'a response with a user': [respond(admin), /no authenticationSuccess/],
  'text beside the success': [
    respond(`yes<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`),
    /text between/,
  ],
  'text beside the user': [succeed(`yes${admin}`), /text between/],
  'a blank that is none in XML beside the user': [succeed(`\u00A0${admin}`), /text between/],
  'an empty CDATA beside the user': [succeed(`<![CDATA[]]>${admin}`), /text between/],
  'no namespace': [success.replaceAll(/cas:|xmlns:cas="[^"]*"/g, ''), /no serviceResponse/],
  'another namespace': [success.replace('/tp/cas', '/tp/cas/'), /no serviceResponse/],
  'a namespace in other letters': [success.replace('yale', 'Yale'), /no serviceResponse/],
  'a success of another namespace': [
    respond(
      '<x:authenticationSuccess xmlns:x="urn:x"><x:user>admin</x:user></x:authenticationSuccess>',
    ),
    /no authenticationSuccess/,
  ],
  'a prefix that is bound anew': [
    respond(`<cas:authenticationSuccess xmlns:cas="urn:x">${admin}</cas:authenticationSuccess>`),
    /no authenticationSuccess/,
  ],
  'a user of another namespace': [succeed('<user xmlns="urn:x">admin</user>'), /another namespace/],
  'a second user of another namespace': [
    succeed(`${admin}<user xmlns="urn:x">root</user>`),
    /another namespace/,
  ],
  'a success in small letters': [
    respond(`<cas:authenticationsuccess>${admin}</cas:authenticationsuccess>`),
    /no authenticationSuccess/,
  ],
  'no user': [succeed(''), /one user/],
  'two users': [succeed(`${admin}<cas:user>root</cas:user>`), /one user/],
  'one user twice': [succeed(admin + admin), /one user/],
  'a user inside a user': [succeed(`<cas:user>${admin}</cas:user>`), /elements in a text/],
  'a user inside the attributes only': [
    succeed(`<cas:attributes>${admin}</cas:attributes>`),
    /one user/,
  ],
  'a user inside another element': [
    succeed(`<cas:attribute name="a" value="b">${admin}</cas:attribute>`),
    /elements in a text/,
  ],
  'a user in an attribute of the success': [
    respond('<cas:authenticationSuccess user="admin"/>'),
    /one user/,
  ],
  'an empty user': [succeed('<cas:user></cas:user>'), /proper name/],
  'a user that closes itself': [succeed('<cas:user/>'), /proper name/],
  'a user of blanks': [succeed('<cas:user> \n\t\u00A0\u3000</cas:user>'), /proper name/],
  'a user of a comment': [succeed('<cas:user><!-- admin --></cas:user>'), /proper name/],
  'a user with a line break': [succeed('<cas:user>admin\nroot</cas:user>'), /proper name/],
  'a user with a tab by reference': [succeed('<cas:user>ad&#9;min</cas:user>'), /proper name/],
  'a user with DEL': [succeed('<cas:user>admin\u007Fx</cas:user>'), /proper name/],
  'a user with NEL': [succeed('<cas:user>ad\u0085min</cas:user>'), /proper name/],
  'a user with a mark at the end that nobody sees': [
    succeed('<cas:user>admin\u200B</cas:user>'),
    /proper name/,
  ],
  'a user of 256 characters': [succeed(`<cas:user>${'a'.repeat(256)}</cas:user>`), /longer/],
  'a ticket that came through a proxy': [
    succeed(`${admin}<cas:proxies><cas:proxy>https://elsewhere/</cas:proxy></cas:proxies>`),
    /proxy/,
  ],
  'an empty list of proxies': [succeed(`${admin}<cas:proxies/>`), /proxy/],
  'an unknown part': [succeed(`${admin}<cas:role>admin</cas:role>`), /unknown element/],
  'attributes twice': [succeed(`${admin}<cas:attributes/><cas:attributes/>`), /attributes twice/],
  'an attribute with elements': [
    withAttributes(`<cas:groups>${attribute('group', 'a')}</cas:groups>`),
    /elements in a text/,
  ],
  'an attribute of another namespace': [
    withAttributes('<x:groups xmlns:x="urn:x">admins</x:groups>'),
    /another namespace/,
  ],
  'text between attributes': [withAttributes(`x${attribute('mail', 'a')}`), /text between/],
  '201 attribute values': [withAttributes(attribute('a', 'b').repeat(201)), /more than 200/],
  'an attribute value of 1,025 characters': [
    withAttributes(attribute('a', 'b'.repeat(1_025))),
    /too long/,
  ],
  'a page of XHTML': [
    '<html xmlns="http://www.w3.org/1999/xhtml"><body>admin</body></html>',
    /no serviceResponse/,
  ],
  'an assertion of SAML': [
    '<Response xmlns="urn:oasis:names:tc:SAML:1.0:protocol"><NameIdentifier>admin</NameIdentifier></Response>',
    /no serviceResponse/,
  ],
}

describe('reading what a CAS server answered', () => {
  for (const [id, table] of [
    ['SEC-43', unparsed],
    ['SEC-43', malformed],
    ['SEC-42', untrue],
  ] as const) {
    for (const [name, [xml, reason]] of Object.entries(table)) {
      test(`${id} refuses ${name}`, () => assert.match(reasonFor(xml), reason))
    }
  }

  test('SEC-42 finds the user of a plain success', () => {
    assert.deepEqual(parseCasResponse(success), { subject: 'admin', attributes: new Map() })
  })

  test('SEC-42 takes a success however it is spelled in XML', () => {
    const spellings = [
      `\uFEFF${success}`,
      `<?xml version="1.0" encoding="UTF-8"?>\n${success}\n`,
      `\uFEFF<?xml version='1.0' encoding='utf-8' standalone='yes'?>${success}`,
      `\n<!-- before -->${success}<!-- after -->\n`,
      success.replaceAll('cas:', 'x:').replace('xmlns:cas', 'xmlns:x'),
      success.replaceAll('cas:', '').replace('xmlns:cas', 'xmlns'),
      succeed('\r\n\t<cas:user>\n  admin\n </cas:user>\r\n'),
      succeed('<cas:user><![CDATA[admin]]></cas:user>'),
      succeed('<cas:user>ad<![CDATA[mi]]>n</cas:user>'),
      succeed('<cas:user>&#97;dmi&#x6e;</cas:user>'),
      succeed(`<!-- <cas:user>root</cas:user> -->${admin}`),
      succeed(`${admin}<cas:proxyGrantingTicket>PGTIOU-1</cas:proxyGrantingTicket>`),
    ]
    for (const xml of spellings) assert.equal(parseCasResponse(xml).subject, 'admin', xml)
  })

  test('SEC-42 a comment does not cut a name short', () => {
    const { subject: user } = parseCasResponse(succeed('<cas:user>admin<!-- x -->.evil</cas:user>'))
    assert.equal(user, 'admin.evil')
  })

  test('leaves a name as it is, up to 255 characters', () => {
    for (const user of ['Ada Lovelace', 'ada@example.org', 'Ö\u0301', '张三', 'a'.repeat(255)]) {
      assert.equal(parseCasResponse(succeed(`<cas:user>${user}</cas:user>`)).subject, user)
    }
    assert.equal(parseCasResponse(succeed('<cas:user>&lt;b&gt;&amp;</cas:user>')).subject, '<b>&')
  })

  test('collects the values of an attribute, in order', () => {
    const { attributes } = parseCasResponse(
      withAttributes(
        `\n ${attribute('group', 'staff')}${attribute('mail', ' ada@example.org ')}
         ${attribute('group', 'a &amp; b')}${attribute('empty', '')}<cas:group><![CDATA[<c>]]></cas:group>`,
      ),
    )
    assert.deepEqual(
      attributes,
      new Map([
        ['group', ['staff', 'a & b', '<c>']],
        ['mail', ['ada@example.org']],
        ['empty', ['']],
      ]),
    )
  })

  test('takes 200 values, and one of 1,024 characters', () => {
    const many = parseCasResponse(withAttributes(attribute('a', 'b').repeat(200)))
    assert.equal(many.attributes.get('a')?.length, 200)
    const long = parseCasResponse(withAttributes(attribute('a', 'b'.repeat(1_024))))
    assert.equal(long.attributes.get('a')?.[0]?.length, 1_024)
  })

  test('an attribute that is named like a property is only an attribute', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'user']
    const { subject: user, attributes } = parseCasResponse(
      withAttributes(names.map((name) => attribute(name, 'x')).join('')),
    )
    assert.equal(user, 'admin')
    assert.deepEqual([...attributes.keys()], names)
    assert.equal(Object.getPrototypeOf({}), Object.prototype)
    assert.equal(({} as Record<string, unknown>)['x'], undefined)
  })

  test('takes the attributes once where a server sends them in two forms', () => {
    const { attributes } = parseCasResponse(
      succeed(`${admin}
        <cas:attributes>${attribute('isFromNewLogin', 'True')}</cas:attributes>
        <cas:attribute name="isFromNewLogin" value="True"/>`),
    )
    assert.deepEqual(attributes, new Map([['isFromNewLogin', ['True']]]))
  })

  test('the log is told the code of a failure, never its text', () => {
    assert.equal(
      reasonFor(fail('ticket ST-secret not found')),
      'CAS answer: refused the ticket, INVALID_TICKET',
    )
    assert.ok(!reasonFor(fail('x', 'code="ST-secret"')).includes('ST-secret'))
    assert.ok(!reasonFor(succeed('<cas:user>ST-secret</cas:attributes>')).includes('ST-secret'))
  })
})

describe('SEC-42 a failure, changed at random,', () => {
  const scraps = [
    admin,
    '<cas:user>',
    '</cas:user>',
    'admin',
    '<cas:authenticationSuccess>',
    '</cas:authenticationSuccess>',
    `<cas:authenticationSuccess>${admin}</cas:authenticationSuccess>`,
    '<cas:attributes/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '</cas:authenticationFailure>',
    '</cas:serviceResponse>',
    '<!DOCTYPE x [<!ENTITY a "b">]>',
    '<?x?>',
    '&lt;',
    'xmlns:cas="urn:x"',
    '"',
    '>',
    '/>',
    success,
  ]
  const message = 'Ticket &lt;cas:user&gt;admin&lt;/cas:user&gt; not recognized'
  const mutate = (text: string, inserted: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .array(fc.record({ at: fc.nat(text.length), removed: fc.nat(12), inserted }), {
        minLength: 1,
        maxLength: 6,
      })
      .map((mutations) =>
        mutations.reduce(
          (mutant, { at, removed, inserted }) =>
            mutant.slice(0, at) + inserted + mutant.slice(at + removed),
          text,
        ),
      )
  const noise = fc.string({ unit: 'binary', maxLength: 5 })

  test('never gives a user, whatever its text is made of', () => {
    const text = mutate(message, fc.oneof(fc.constantFrom(...scraps), noise))
    fc.assert(
      fc.property(text, (text) => void reasonFor(fail(text))),
      { numRuns: runsInLane(10_000) },
    )
  })

  test('never gives a user, whatever happened to its bytes', () => {
    fc.assert(
      fc.property(mutate(fail(message), noise), (xml) => void reasonFor(xml)),
      { numRuns: runsInLane(10_000) },
    )
  })
})
