import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callerFields } from '@muster/contract'
import fc from 'fast-check'
import { PlatformError } from '../error.ts'
import type { Comparison, Value } from '../query/condition.ts'
import { parseQ as parse } from '../query/parse-q.ts'
import type { Condition, Field } from './condition.ts'
import { serverFields } from './fields.ts'
import { runsInLane } from '../../testing/lanes.ts'

const parseQ = (line: string) => parse(serverFields, line)

const is = (field: Field, comparison: Comparison, ...values: Value[]): Condition => ({
  kind: 'field',
  field,
  comparison,
  values,
})
const search = (text: string): Condition => ({ kind: 'search', text })
const not = (condition: Condition): Condition => ({ kind: 'not', condition })
const any = (...conditions: Condition[]): Condition => ({ kind: 'any', conditions })
const all = (...conditions: Condition[]): Condition => ({ kind: 'all', conditions })
const tag = (key: string, value?: string): Condition => ({ kind: 'tag', key, value })

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) * 1000

const refusal = (line: string): string => {
  try {
    parseQ(line)
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error))
    assert.equal(error.class, 'InputParameterError')
    assert.equal(error.fields?.[0]?.path, 'q')
    return error.message
  }
  assert.fail(`"${line.slice(0, 80)}" was taken`)
}

describe('a query in one line', () => {
  const good: [string, Condition[]][] = [
    ['', []],
    ['   ', []],
    ['""', []],
    ['web-7', [search('web-7')]],
    ['web 7', [search('web'), search('7')]],
    ['"web 7"', [search('web 7')]],
    ["'web 7'", [search('web 7')]],
    ["o'brien", [search("o'brien")]],
    ['-web', [not(search('web'))]],
    ['-"a b"', [not(search('a b'))]],
    ['-', [search('-')]],
    ['a,b', [search('a,b')]],
    ['status:running', [is('status', 'equals', 'running')]],
    ['Status:running', [is('status', 'equals', 'running')]],
    ['status=running', [is('status', 'equals', 'running')]],
    ['status:running,ready', [is('status', 'in', 'running', 'ready')]],
    ['-status:running,ready', [not(is('status', 'in', 'running', 'ready'))]],
    ['name:"a b",c', [is('name', 'in', 'a b', 'c')]],
    ['name:a"b', [is('name', 'equals', 'a"b')]],
    ['name:""', [is('name', 'equals', '')]],
    ['name:a:b=c', [is('name', 'equals', 'a:b=c')]],
    ['eip:*', [not(is('eip', 'isnullorempty'))]],
    ['eip:"*"', [is('eip', 'equals', '*')]],
    ['expired:*', [not(is('expired_at', 'isnullorempty'))]],
    ['vcpu>=8', [is('vcpu_count', 'ge', 8)]],
    ['cpu:8', [is('vcpu_count', 'equals', 8)]],
    ['vcpu_count<4', [is('vcpu_count', 'lt', 4)]],
    ['vcpu:8..16', [all(is('vcpu_count', 'ge', 8), is('vcpu_count', 'le', 16))]],
    ['vcpu:8..', [all(is('vcpu_count', 'ge', 8))]],
    ['vcpu:..4', [all(is('vcpu_count', 'le', 4))]],
    ['vcpu=..4', [all(is('vcpu_count', 'le', 4))]],
    ['-vcpu:8..16', [not(all(is('vcpu_count', 'ge', 8), is('vcpu_count', 'le', 16)))]],
    [
      'vcpu:..2,16..,8',
      [
        any(
          all(is('vcpu_count', 'le', 2)),
          all(is('vcpu_count', 'ge', 16)),
          is('vcpu_count', 'equals', 8),
        ),
      ],
    ],
    ['mem:8G..1T', [all(is('vmem_size', 'ge', 8_192), is('vmem_size', 'le', 1_048_576))]],
    [
      'created:2026-05-04..2026-05-06',
      [all(is('created_at', 'ge', day('2026-05-04')), is('created_at', 'lt', day('2026-05-07')))],
    ],
    ['created:2026-05-04T00:00:00Z..', [all(is('created_at', 'ge', day('2026-05-04')))]],
    // Texts may have dots.
    ['name:a..b', [is('name', 'equals', 'a..b')]],
    ['web..7', [search('web..7')]],
    ['mem>=8G', [is('vmem_size', 'ge', 8192)]],
    ['memory<=512', [is('vmem_size', 'le', 512)]],
    ['disk>1.5TiB', [is('disk', 'gt', 1_572_864)]],
    ['disk:100gb', [is('disk', 'equals', 102_400)]],
    ['gpu:true', [is('is_gpu', 'equals', true)]],
    ['os:Linux', [is('os_type', 'equals', 'Linux')]],
    ['project:demo', [{ kind: 'resource', resource: 'project', values: ['demo'] }]],
    ['-project:demo', [not({ kind: 'resource', resource: 'project', values: ['demo'] })]],
    ['tenant:a,b', [{ kind: 'resource', resource: 'project', values: ['a', 'b'] }]],
    ['cloudregion:x', [{ kind: 'resource', resource: 'region', values: ['x'] }]],
    ['domain:r', [any(is('domain_id', 'equals', 'r'), is('project_domain', 'equals', 'r'))]],
    ['project_id:x', [is('project_id', 'equals', 'x')]],
    ['ip:10.4.0.0/16', [{ kind: 'address', first: '40a040000', last: '40a04ffff' }]],
    [
      'ip:fd00::1',
      [{ kind: 'address', first: `6fd${'0'.repeat(29)}1`, last: `6fd${'0'.repeat(29)}1` }],
    ],
    ['tag:env=prod', [tag('env', 'prod')]],
    ['tag:env="a b"', [tag('env', 'a b')]],
    ['tag:"env=a b"', [tag('env', 'a b')]],
    ['tag:user:env=a=b', [tag('user:env', 'a=b')]],
    ['tag:env', [tag('env')]],
    ['tag:env=', [tag('env', '')]],
    ['tag:env=prod,env=test', [any(tag('env', 'prod'), tag('env', 'test'))]],
    ['created>=2026-05-04', [is('created_at', 'ge', day('2026-05-04'))]],
    ['created>2026-05-04', [is('created_at', 'ge', day('2026-05-05'))]],
    ['created<2026-05-04', [is('created_at', 'lt', day('2026-05-04'))]],
    ['created<=2026-05-04', [is('created_at', 'lt', day('2026-05-05'))]],
    [
      'created:2026-05-04',
      [all(is('created_at', 'ge', day('2026-05-04')), is('created_at', 'lt', day('2026-05-05')))],
    ],
    ['updated>2026-05-04T00:00:00Z', [is('updated_at', 'gt', day('2026-05-04'))]],
    ['updated:"2026-05-04 00:00:00"', [is('updated_at', 'equals', day('2026-05-04'))]],
    // Addresses are searched for, although there are colons in them.
    ['52:54:00:ab:cd:ef', [search('52:54:00:ab:cd:ef')]],
    ['fa:16:3e:00:00:01', [search('fa:16:3e:00:00:01')]],
    ['fe80::1', [search('fe80::1')]],
    ['fd00::/8', [search('fd00::/8')]],
    ['10.0.0.1:22', [search('10.0.0.1:22')]],
    ['web-7:80', [search('web-7:80')]],
    ['<b>', [search('<b>')]],
    ['"stauts:x"', [search('stauts:x')]],
  ]
  for (const [line, conditions] of good) {
    test(`${line || 'nothing'} is read`, () => assert.deepEqual(parseQ(line), conditions))
  }

  test('parses the example of the decision', () => {
    const line =
      'status:running provider:Aws ip:10.4.0.0/16 tag:env=prod vcpu>=8 -project:demo web-7'
    assert.deepEqual(parseQ(line), [
      is('status', 'equals', 'running'),
      is('provider', 'equals', 'Aws'),
      { kind: 'address', first: '40a040000', last: '40a04ffff' },
      tag('env', 'prod'),
      is('vcpu_count', 'ge', 8),
      not({ kind: 'resource', resource: 'project', values: ['demo'] }),
      search('web-7'),
    ])
  })

  const bad: [string, RegExp][] = [
    ['stauts:running', /"stauts" is not a field.*did you mean "status"\?/],
    ['web stauts:running', /at character 5/],
    ['http://x', /"http" is not a field/],
    ['env=prod', /"env" is not a field/],
    ['constructor:x', /"constructor" is not a field/],
    ['metadata:x', /"metadata" is not a field/],
    ['status:', /missing value at character 8/],
    ['status: running', /missing value/],
    ['status:a,', /missing value/],
    ['status:,a', /missing value/],
    ['name:"a', /unclosed quote at character 6/],
    ['"a', /unclosed quote/],
    ['vcpu>=many', /"many" must be an integer/],
    ['vcpu>=8G', /integer/],
    ['vcpu>=4,8', /takes one value/],
    ['mem>=much', /a size in MB, or as 8G/],
    ['name>a', /numbers and times/],
    ['gpu>true', /numbers and times/],
    ['tag>a', /numbers and times/],
    ['gpu:maybe', /true or false/],
    ['vcpu:*', /integer/],
    ['created>yesterday', /a time such as/],
    ['created>7d', /a time such as/],
    ['ip:10.4', /address/],
    ['tag:=x', /key/],
    ['x'.repeat(257), /256/],
  ]
  for (const [line, problem] of bad) {
    test(`${line.slice(0, 40)} is refused`, () => assert.match(refusal(line), problem))
  }

  test('SEC-62: fields that depend on the caller are unknown fields', () => {
    for (const field of callerFields) assert.match(refusal(`${field}:x`), /is not a field/)
  })

  test('never crashes, and gives short errors, whatever the input', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('status:', '-', '"', "'", ',', ' ', 'vcpu>=', 'tag:', 'ip:', '\\', '=', '*'),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          parseQ(pieces.join(''))
        } catch (error) {
          assert.ok(error instanceof PlatformError)
        }
      }),
      { numRuns: runsInLane(1000) },
    )
    for (const part of [
      '"',
      "'",
      '""',
      ' ',
      '-',
      ':',
      'a:',
      'name:',
      ',',
      'name:a,',
      '=',
      '\\"',
      'f:',
    ]) {
      try {
        parseQ(part.repeat(8192))
      } catch (error) {
        assert.ok(error instanceof PlatformError)
        assert.ok(error.message.length < 400)
      }
    }
  })
})
