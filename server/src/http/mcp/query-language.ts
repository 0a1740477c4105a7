import { fieldsUsedFor, servers } from '@muster/contract'

const syntax = `# The query language of Muster

The argument q of the tools takes terms that are combined with "and":

web                         a name, address, id, host, description or tag value contains "web"
"disk full"                 this text, with the space
status:running,ready        the field has one of these values
vcpu>=8  mem<16G            comparisons of numbers and sizes
created>2026-05-04          a date means the whole day
ip:10.4.0.0/16              an address in this network
tag:env=prod  tag:owner     a tag with this value, or with any value
-os:Windows                 not

Short names: os, vcpu, mem, created, domain, type. Quote values with spaces: project:"web shop".

Fields:
`

/** The text of the resource `muster://query-language`. */
export const describeQueryLanguage = (): string =>
  syntax +
  fieldsUsedFor(servers, 'filter')
    .map((name) => {
      const { description = '' } = servers.fields[name].schema as { readonly description?: string }
      return `${name}: ${description}`
    })
    .join('\n')
