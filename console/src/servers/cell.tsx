import { Fragment, type ReactNode } from 'react'
import { FilterValue } from '../inventory/filter-value.tsx'
import { useFormat } from '../messages/use-format.ts'
import { Amount } from '../ui/amount.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import styles from './cell.module.css'
import type { ColumnName } from './columns.ts'
import { FailedTask } from './failed-task.tsx'
import { Marked } from './marked.tsx'
import type { Row } from './row.ts'
import { statusTone } from './status.ts'
import { useValueNames } from './value-names.ts'
import { ProviderMark } from './provider-mark.tsx'
import { prefixes, tagsOf, tagTerm } from './tags.ts'

interface Props {
  readonly column: ColumnName
  readonly row: Row
  /** Searched words, which are marked. */
  readonly words?: readonly string[]
}

const noWords: readonly string[] = []

/** The value of a column in a row. */
export function Cell({ column, row, words = noWords }: Props): ReactNode {
  const { number, size } = useFormat()
  const names = useValueNames()
  switch (column) {
    case 'name':
      return (
        <bdi>
          <Marked text={row.name ?? ''} words={words} />
        </bdi>
      )
    case 'status': {
      const { status = '' } = row
      return (
        <span className={styles.status}>
          <FilterValue name="status" value={status} title={names.fullName('status', status)}>
            <StatusMark tone={statusTone(status)}>{names.name('status', status)}</StatusMark>
          </FilterValue>
          <FailedTask server={row} />
        </span>
      )
    }
    case 'ips':
      return <Addresses ips={row.ips ?? ''} eip={row.eip ?? ''} words={words} />
    case 'size':
      return (
        <>
          <Amount value={row.vcpu_count}>{number}</Amount> ·{' '}
          <Amount value={row.vmem_size}>{size}</Amount>
        </>
      )
    case 'where':
      return <Where row={row} />
    case 'os':
      return row.os_name ? (
        <FilterValue name="os_name" value={row.os_name} />
      ) : (
        <FilterValue name="os" value={row.os_type ?? ''} />
      )
    case 'tags':
      return <Tags metadata={row.metadata ?? {}} />
    case 'auto_delete_at':
    case 'created_at':
    case 'updated_at':
      return <TimeAgo time={row[column]} />
    case 'vcpu_count':
      return <Amount value={row.vcpu_count}>{number}</Amount>
    case 'vmem_size':
    case 'disk':
      return <Amount value={row[column]}>{size}</Amount>
    case 'project':
    case 'account':
    case 'region':
    case 'zone':
    case 'hypervisor':
    case 'host':
    case 'vpc':
    case 'secgroup':
    case 'billing_type':
      return <FilterValue name={column} value={row[column] ?? ''} />
    case 'provider':
      return <ProviderValue provider={row.provider ?? ''} />
    case 'domain':
      return <FilterValue name="domain" value={row.project_domain ?? ''} />
    case 'instance_type':
      return <FilterValue name="type" value={row.instance_type ?? ''} />
    case 'id':
    case 'external_id':
      return (
        <span className={styles.mono} title={row[column]}>
          <Marked text={row[column] ?? ''} words={words} />
        </span>
      )
    case 'description':
      return (
        <span title={row.description}>
          <Marked text={row.description ?? ''} words={words} />
        </span>
      )
  }
}

interface AddressesProps {
  readonly ips: string
  readonly eip: string
  readonly words: readonly string[]
}

/** One that matches, or else the first one. */
function Addresses({ ips, eip, words }: AddressesProps) {
  const all = [...new Set([...ips.split(','), eip].filter(Boolean))]
  const matching = all.find((address) => words.some((word) => address.includes(word)))
  const first = matching ?? all[0]
  if (first === undefined) return '–'
  return (
    <span title={all.join('\n')}>
      <FilterValue name="ip" value={first}>
        <span className={styles.address}>
          <Marked text={first} words={words} />
        </span>
      </FilterValue>
      {all.length > 1 && <span className={styles.soft}> +{all.length - 1}</span>}
    </span>
  )
}

function ProviderValue({ provider }: { readonly provider: string }) {
  const name = useValueNames().name('provider', provider)
  return (
    <FilterValue name="provider" value={provider} title={name}>
      <ProviderMark provider={provider} />
      {name}
    </FilterValue>
  )
}

function Where({ row: { provider = '', region = '', zone = '' } }: { readonly row: Row }) {
  const location = zone || region
  return (
    <>
      <ProviderValue provider={provider} />
      {location !== '' && <span className={styles.soft}> · </span>}
      {location !== '' && <FilterValue name={zone ? 'zone' : 'region'} value={location} />}
    </>
  )
}

function Tags({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) {
  const tags = (['own', 'source'] as const).flatMap((origin) =>
    tagsOf(metadata, origin).map((tag) => ({
      id: prefixes[origin] + tag.key,
      text: `${tag.key}=${tag.value}`,
      term: tagTerm(origin, tag) ?? '',
    })),
  )
  if (tags.length === 0) return '–'
  return (
    <span className={styles.tags} title={tags.map(({ text }) => text).join('\n')}>
      {tags.slice(0, 3).map(({ id, text, term }) => {
        const tag = <span className={styles.tag}>{text}</span>
        return (
          <Fragment key={id}>
            {term === '' ? (
              tag
            ) : (
              <FilterValue name="tag" value={term}>
                {tag}
              </FilterValue>
            )}
          </Fragment>
        )
      })}
      {tags.length > 3 && <span className={styles.soft}>+{tags.length - 3}</span>}
    </span>
  )
}
