import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { servers } from '@muster/contract'
import { en } from '../messages/en/index.ts'
import { createFormat } from '../messages/format.ts'
import { zhCN } from '../messages/zh-CN/index.ts'
import { describeChanges, introduce, type ChangeWords } from './describe-changes.ts'
import { createValueNames } from './value-names.ts'

const words: ChangeWords = {
  messages: en,
  format: createFormat('en'),
  names: createValueNames(en.values),
  projectName: (id) => (id === 'p1' ? 'web' : id),
}

type Changes = Parameters<typeof describeChanges>[0]

/** Each change as one line. */
const linesOf = (changes: Changes, given = words) =>
  describeChanges(changes, given).map(
    ({ label, before, after }) => `${label}: ${before ?? '∅'} -> ${after ?? '∅'}`,
  )

describe('the words for a change', () => {
  it('have labels, units and names instead of those of the API', () => {
    assert.deepEqual(
      linesOf({
        status: ['running', 'ready'],
        vcpu_count: [2, 4],
        vmem_size: [4096, 16_384],
        is_gpu: [false, true],
        project_id: ['p1', 'p2'],
        provider: ['OneCloud', 'Aws'],
        expired_at: [null, '2026-05-04T08:00:00Z'],
        host: ['kvm-1', ''],
        pending_deleted: [false, true],
        secgroups: [[{ id: 'a', name: 'default' }], [{ id: 'b', name: 'web' }]],
      }),
      [
        'Status: Running -> Stopped',
        'vCPU: 2 -> 4',
        'Memory: 4 GB -> 16 GB',
        'GPU: No -> Yes',
        'Project: web -> p2',
        'Provider: KVM (libvirt) -> AWS',
        `Expires: ∅ -> ${words.format.dateTime('2026-05-04T08:00:00Z')}`,
        'Host: kvm-1 -> ∅',
        'In the recycle bin: No -> Yes',
        'Security groups: default -> web',
      ],
    )
  })

  it('are in the language of the user', () => {
    const chinese = { ...words, messages: zhCN, names: createValueNames(zhCN.values) }
    assert.deepEqual(linesOf({ status: ['running', 'ready'], 'user:env': ['', 'prod'] }, chinese), [
      '状态: 运行中 -> 已关机',
      '标签 env: ∅ -> prod',
    ])
  })

  it('name tags by their origin, and tell the result of a check', () => {
    assert.deepEqual(
      linesOf({
        'user:env': ['dev', 'prod'],
        'ext:owner': ['olga', null],
        'sys:source_status': ['ACTIVE', 'SHUTOFF'],
        'check:No backup': [null, 'violated'],
      }),
      [
        'Tag env: dev -> prod',
        'Source tag owner: olga -> ∅',
        'Source status: ACTIVE -> SHUTOFF',
        'Check No backup: not violated -> violated',
      ],
    )
  })

  it('leave out identifiers of what has a name, unless only they change', () => {
    assert.deepEqual(linesOf({ host: ['kvm-1', 'kvm-2'], host_id: ['a', 'b'] }), [
      'Host: kvm-1 -> kvm-2',
    ])
    assert.deepEqual(linesOf({ host_id: ['a', 'b'] }), ['Host ID: a -> b'])
    assert.deepEqual(linesOf({ some_new_field: [1, 2] }), ['some new field: 1 -> 2'])
  })

  it('exist for every field that changes tell of', () => {
    // Computed for each caller, or following from other fields.
    const never =
      /^(?:id|metadata|(?:can_)?(?:update|delete)(?:d_at|_version)?|.*_fail_reason|(?:manager_)?(?:project|domain|project_domain)|tenant(?:_id)?|cloudregion|region_id|region_external_id|disk_count|disks|secgroup|secgrp_id)$/
    const fields = Object.keys(servers.fields).filter((name) => !never.test(name))
    const unnamed = fields.filter((name) =>
      describeChanges({ [name]: ['a', 'b'] }, words).some(
        ({ label }) => label === name.replaceAll('_', ' '),
      ),
    )
    assert.deepEqual(unnamed, [])
    assert.ok(fields.length > 80, String(fields.length))
  })

  it('leave out what is empty before and after, or unknown to the source', () => {
    assert.deepEqual(linesOf({ description: [null, ''], disk: [0, 2048], nics: [null, []] }), [
      'Disk: ∅ -> 2 GB',
    ])
  })

  it('tell of rules, disks and network interfaces only what differs', () => {
    const disk = { index: 0, size: 20_480, disk_type: 'sys', cache_mode: 'none', id: 'a' }
    const nic = { mac: '00:16:3e:00:00:01', ip_addr: '10.4.0.7', ip6_addr: '', is_exit: false }
    assert.deepEqual(
      linesOf({
        security_rules: ['in:allow tcp 22; in:allow tcp 80', 'in:allow tcp 22; in:allow tcp 443'],
        disks_info: [
          [disk, { ...disk, index: 1, size: 1024 }],
          [{ ...disk, size: 40_960, cache_mode: 'writeback' }],
        ],
        nics: [
          [nic],
          [
            { ...nic, ip_addr: '10.4.0.9' },
            { mac: '', ip_addr: '10.5.0.1', ip6_addr: 'fd00::1' },
          ],
        ],
      }),
      [
        'Rules: in:allow tcp 80 -> in:allow tcp 443',
        'Disk 0: 20 GB -> 40 GB',
        'Disk 0 · Cache: none -> writeback',
        'Disk 1: 1 GB -> ∅',
        'Network interface 00:16:3e:00:00:01: 10.4.0.7 -> 10.4.0.9',
        'Network interface #2: ∅ -> 10.5.0.1, fd00::1',
      ],
    )
  })

  it('introduce a server that appears or is gone', () => {
    const values = { name: 'web-1', status: 'running', ips: '10.4.0.7', host: '', account: 'aws' }
    const appeared = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, [null, value] as [unknown, unknown]]),
    )
    const gone = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, [value, null] as [unknown, unknown]]),
    )
    assert.equal(introduce(appeared, words), 'Running · 10.4.0.7 · aws')
    assert.equal(introduce(gone, words), 'Running · 10.4.0.7 · aws')
    assert.equal(introduce({}, words), '')
  })
})
