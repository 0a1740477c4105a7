import type { Config } from '../config/read-config.ts'
import type { Platform } from '../platform.ts'

/** Whether, by the settings, a process serves the identity API at its address. */
export const canLogIn = ({ roles, authUrl, publicUrl }: Config): boolean =>
  roles.includes('identity') || authUrl !== undefined || publicUrl !== undefined

/** What a server prints when it is ready: its addresses, the first password and how to log in. */
export function renderWelcome(config: Config, platform: Platform): string {
  const { publicUrl, authUrl, baseUrl, newAdminPassword } = platform
  const password = newAdminPassword ?? '$PASSWORD'
  const login = {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'sysadmin', domain: { name: 'Default' }, password } },
      },
      scope: { project: { name: 'system', domain: { name: 'Default' } } },
    },
  }
  // The variable is outside the single quotes, so that the shell inserts the password.
  const body = JSON.stringify(login).replace('$PASSWORD', `'"$&"'`)
  const curl = `curl -si ${authUrl}/v3/auth/tokens -H 'Content-Type: application/json' -d '${body}'`
  return [
    '',
    'Muster is up.',
    '',
    ...(config.roles.includes('gateway') ? [`  console   ${publicUrl}/console/`] : []),
    `  auth_url  ${authUrl}`,
    `  base_url  ${baseUrl}`,
    `  docs      ${baseUrl}/docs`,
    ...(newAdminPassword === undefined
      ? []
      : [
          '',
          `  user      sysadmin`,
          `  password  ${newAdminPassword}   (shown only once: store it now)`,
        ]),
    '',
    ...(canLogIn(config)
      ? [
          'Log in (the token is in the header X-Subject-Token):',
          '',
          `  ${newAdminPassword === undefined ? "printf 'Password: '; read -rs PASSWORD; " : ''}${curl}`,
        ]
      : ['To log in, start a process with the role identity, and set --auth-url to its address.']),
    '',
    '',
  ].join('\n')
}
