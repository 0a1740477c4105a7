/** A flag of a command. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  readonly kind: 'boolean' | 'value' | 'values'
  /** What stands for the value in the help. */
  readonly placeholder?: string
  readonly choices?: readonly string[]
  readonly help: string
  /** Other spellings, which the help does not list. */
  readonly aliases?: readonly string[]
  /** What completes the value, if there are no choices. */
  readonly completes?: 'column' | 'cloud' | 'profile'
}

const flag = (
  name: string,
  kind: Flag['kind'],
  help: string,
  more: Partial<Omit<Flag, 'name' | 'kind' | 'help'>> = {},
): Flag => ({ name, kind, help, ...more })

export const formats = ['table', 'json', 'ndjson', 'yaml', 'csv', 'value', 'shell'] as const
export type Format = (typeof formats)[number]

export const outputFlags: readonly Flag[] = [
  flag('format', 'value', 'Output format. Default: table.', {
    short: 'f',
    choices: formats,
    aliases: ['output'],
  }),
  flag('json', 'boolean', 'The same as -f json.'),
  flag('column', 'values', 'Print only this column. Can be repeated.', {
    short: 'c',
    placeholder: 'NAME',
    completes: 'column',
  }),
  flag('quiet', 'boolean', 'Print ids only.', { short: 'q' }),
  flag('no-header', 'boolean', 'Print no header line.'),
  flag('max-width', 'value', 'Shorten the lines of a table.', { placeholder: 'COLUMNS' }),
  flag('no-color', 'boolean', 'Print no colours.'),
]

export const listFlags: readonly Flag[] = [
  flag('long', 'boolean', 'Print more columns.', { aliases: ['details'] }),
  flag('sort-column', 'values', 'Sort by this column.', {
    placeholder: 'NAME[:asc|desc]',
    completes: 'column',
    aliases: ['sort'],
  }),
  flag('limit', 'value', 'Number of rows; 0 for all. Default: the first page.', {
    placeholder: 'N',
  }),
  flag('all', 'boolean', 'Print all rows, not only the first page.'),
  flag('watch', 'boolean', 'Print the list every 5 seconds. With -f ndjson: print changes.', {
    short: 'w',
  }),
]

export const connectionFlags: readonly Flag[] = [
  flag('os-cloud', 'value', 'Cloud of clouds.yaml (OS_CLOUD).', {
    placeholder: 'NAME',
    completes: 'cloud',
  }),
  flag('profile', 'value', 'Profile of "muster auth login" (MUSTER_PROFILE).', {
    placeholder: 'NAME',
    completes: 'profile',
  }),
  flag('os-auth-url', 'value', 'Address of Muster, with or without /v3 (OS_AUTH_URL).', {
    placeholder: 'URL',
    aliases: ['url'],
  }),
  flag('os-username', 'value', 'User name (OS_USERNAME).', { placeholder: 'NAME' }),
  flag('os-user-domain-name', 'value', 'Domain of the user (OS_USER_DOMAIN_NAME).', {
    placeholder: 'NAME',
  }),
  flag('os-project-name', 'value', 'Project of the token (OS_PROJECT_NAME).', {
    placeholder: 'NAME',
  }),
  flag('os-project-domain-name', 'value', 'Domain of the project (OS_PROJECT_DOMAIN_NAME).', {
    placeholder: 'NAME',
  }),
  flag('os-domain-name', 'value', 'Domain of the token, instead of a project (OS_DOMAIN_NAME).', {
    placeholder: 'NAME',
  }),
  flag('os-cacert', 'value', 'File with certificates to trust (OS_CACERT).', {
    placeholder: 'FILE',
  }),
  flag('insecure', 'boolean', 'Accept any certificate (OS_INSECURE).'),
  flag('timeout', 'value', 'Seconds without an answer before a request fails. Default: 60.', {
    placeholder: 'SECONDS',
  }),
  flag('debug', 'boolean', 'Print each request as curl on stderr, without secrets.'),
]

export const helpFlag = flag('help', 'boolean', 'Print this help.', { short: 'h' })

export const globalFlags: readonly Flag[] = [...outputFlags, ...connectionFlags, helpFlag]
