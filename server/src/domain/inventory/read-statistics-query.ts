import type { ServerStatisticsQuery } from '@muster/contract'
import { deepFreeze } from '../deep-freeze.ts'
import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import { fields, isField } from './fields.ts'
import { readCloudpodsParameters } from './cloudpods-parameters.ts'
import { readSelection } from './read-selection.ts'
import type { Grouping, StatisticsQuery } from './server-query.ts'

const metadataPrefix = 'metadata.'

function readGrouping(name: string): Grouping {
  if (isField(name)) return { name, field: name }
  if (name.startsWith(metadataPrefix) && name.length > metadataPrefix.length) {
    return { name, metadataKey: name.slice(metadataPrefix.length) }
  }
  throw badField(
    'group_by',
    `names ${JSON.stringify(name)}, which is no field to group by${didYouMean(name, Object.keys(fields))}`,
  )
}

const known = new WeakMap<ServerStatisticsQuery, StatisticsQuery>()

/** Reads the parameters of the statistics into what is asked for; the same frozen ones but once. */
export function readStatisticsQuery(parameters: ServerStatisticsQuery): StatisticsQuery {
  const found = known.get(parameters)
  if (found) return found
  const { group_by = ['status'] } = parameters
  const query = deepFreeze<StatisticsQuery>({
    ...readSelection(parameters, readCloudpodsParameters(parameters)),
    groups: [...new Set(group_by)].map(readGrouping),
  })
  if (Object.isFrozen(parameters)) known.set(parameters, query)
  return query
}
