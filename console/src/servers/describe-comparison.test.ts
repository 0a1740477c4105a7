import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { servers } from '@muster/contract'
import { en } from '../messages/en/index.ts'
import { createFormat } from '../messages/format.ts'
import { zhCN } from '../messages/zh-CN/index.ts'
import type { ChangeWords } from './describe-changes.ts'
import { describeComparison } from './describe-comparison.ts'
import { createValueNames } from './value-names.ts'

const wordsOf = (messages: typeof en, language: string): ChangeWords => ({
  messages,
  format: createFormat(language),
  names: createValueNames(messages.values),
  projectName: (id) => id,
})
const english = wordsOf(en, 'en')

const linesOf = (fields: Readonly<Record<string, readonly unknown[]>>, words = english) =>
  describeComparison(
    Object.entries(fields).map(([field, values]) => ({
      field,
      values: [...values],
      differs: true,
    })),
    words,
  ).map(({ label, values, differs }) => `${differs ? '' : '= '}${label}: ${values.join(' | ')}`)

describe('servers side by side', () => {
  it('have the labels, values and units of the server page', () => {
    const [one, two] = ['a', 'b'].map((id, at) => ({ id, index: 0, size: 20_480 * (at + 1) }))
    assert.deepEqual(
      linesOf({
        name: ['web-1', 'web-2'],
        cloud_env: ['onpremise', 'public'],
        environment: ['onpremise', 'public'],
        billing_type: ['postpaid', 'prepaid'],
        billing_cycle: ['', '3M'],
        boot_order: ['cn', 'c'],
        vga: ['std', 'std'],
        vdi: ['vnc', 'vnc'],
        project_id: ['p1', 'p2'],
        tenant: ['web', 'db'],
        project: ['web', 'db'],
        project_domain: ['Acme', 'Acme'],
        domain_id: ['d', 'd'],
        disks_info: [[one], [two]],
        disks: ['disk0:20480M/qcow2/sys', 'disk0:40960M/qcow2/sys'],
        nics: [[{ mac: 'x', ip_addr: '10.0.0.87' }], []],
        networks: ['eth0:10.0.0.87/24', ''],
        update_version: [1, 7],
        updated_at: ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
        'user:env': ['prod', null],
      }),
      [
        'Name: web-1 | web-2',
        'Environment: On premises | Public cloud',
        'Billing type: Pay as you go | Prepaid',
        'Billing cycle:  | 3 months',
        'Boot order: disk, network | disk',
        '= Graphics: std · vnc | std · vnc',
        'Project: web | db',
        '= Domain: Acme | Acme',
        'Disk 0 · Size: 20 GB | 40 GB',
        'Network interface #1 · IPv4: 10.0.0.87 | ',
        'Tag env: prod | ',
      ],
    )
  })

  it('have no label twice and no word of the API, in both languages', () => {
    const fields = Object.fromEntries(Object.keys(servers.fields).map((name) => [name, ['a', 'b']]))
    for (const words of [english, wordsOf(zhCN, 'zh-CN')]) {
      const labels = describeComparison(
        Object.entries(fields).map(([field, values]) => ({ field, values, differs: true })),
        words,
      ).map(({ label }) => label)
      assert.ok(labels.length > 40, String(labels.length))
      assert.equal(new Set(labels).size, labels.length)
      const raw = new Set(Object.keys(fields).map((name) => name.replaceAll('_', ' ')))
      const known = new Set(['hypervisor', 'vpc', 'gpu'])
      assert.deepEqual(
        labels.filter((label) => raw.has(label) && !known.has(label)),
        [],
      )
      assert.deepEqual(
        labels.filter(
          (label) => label.endsWith(' ID') && label !== words.messages.server.externalId,
        ),
        [],
      )
    }
  })
})
