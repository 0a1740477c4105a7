import type { ServerStatisticsQuery } from '@muster/contract'
import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import { fields, isField } from './fields.ts'
import { readCloudpodsParameters } from './cloudpods-parameters.ts'
import { readServerFilter } from './server-list/read-server-filter.ts'
import type { Grouping, StatisticsQuery } from './server-list/server-query.ts'

const metadataPrefix = 'metadata.'

/** Reads a name of `group_by`. */
export function readGrouping(name: string): Grouping {
  if (isField(name)) return { name, field: name }
  if (name.startsWith(metadataPrefix) && name.length > metadataPrefix.length) {
    return { name, metadataKey: name.slice(metadataPrefix.length) }
  }
  throw badField(
    'group_by',
    `has ${JSON.stringify(name)}, which is not a field to group by${didYouMean(name, Object.keys(fields))}`,
  )
}

/** Parses the parameters of the statistics. */
export function readStatisticsQuery(parameters: ServerStatisticsQuery): StatisticsQuery {
  const { group_by = ['status'] } = parameters
  return {
    ...readServerFilter(parameters, readCloudpodsParameters(parameters)),
    groups: [...new Set(group_by)].map(readGrouping),
  }
}
