import { ignoredParameters } from './action-parameters.ts'
import {
  cloudpodsFilters,
  cloudpodsPaging,
  type CloudpodsParameter,
} from './cloudpods-parameters.ts'

/** What Muster does with a parameter of Cloudpods' clients, in one sentence. */
function describe(parameter: CloudpodsParameter): string {
  switch (parameter.means) {
    case 'same':
      return `Alias of \`${parameter.as}\`.`
    case 'filter':
      return (['true', 'false'] as const)
        .filter((value) => parameter[value] !== undefined)
        .map((value) => `\`${value}\`: \`filter=${parameter[value]}\`.`)
        .join(' ')
    case 'setting':
      return `\`true\`: \`${parameter.of}=${parameter.to}\`.`
    case 'order':
      return `Sorts by \`${parameter.by}\`.`
    case 'nothing':
      return `No effect: ${parameter.because}.`
    case 'refused':
      return `Not supported (400): ${parameter.because}.`
  }
}

const rows = Object.entries<CloudpodsParameter>({ ...cloudpodsFilters, ...cloudpodsPaging })
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, parameter]) => `| \`${name}\` | ${describe(parameter)} |`)

/** The only section of the API reference that explains the parameters of Cloudpods' clients. */
export const cloudpodsCompatibility = {
  name: 'Cloudpods compatibility',
  description: [
    'Command line and console of Cloudpods work with this API. Muster accepts the query parameters that they send. New clients do not need them.',
    '`details` and `summary_stats=false` have no effect on lists other than servers, nor have `limit` and `offset` where there are no pages. `details`, `with_meta` and `show_fail_reason` have no effect on `GET /servers/{id}`, which always returns all fields.',
    '`obj_tags.0.0.key=env&obj_tags.0.0.value=prod` filters by tags: all tags with the same first number must match, and one such set is enough. `no_obj_tags` excludes servers with such tags.',
    '`admin=true` has no effect on lists other than servers: they always contain everything that you can access. `format=yaml` on policies is answered in JSON.',
    'With `obj_type`, `obj_id`, `obj_name`, `owner_project_ids`, `owner_domain_ids`, `until`, `success` or `paging_marker`, `GET /events` filters by `target_type`, `target_id`, `target_name`, `project_id`, `domain_id`, `before`, `result` and `marker`, and its events have the field names of Cloudpods. `GET /v3/events` and `GET /actions` always have them.',
    'With `summary_stats=false`, `GET /servers/statistics` has its content also under the key `server`. The metadata of a server always has it there.',
    `Actions on servers accept ${ignoredParameters.map((name) => `\`${name}\``).join(', ')} without an effect, and \`vmem_size\` as a text such as \`2g\`. What Muster cannot do is refused (400).`,
    'The lists of servers and their statistics also accept:',
    ['| Parameter | Effect |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n'),
}
