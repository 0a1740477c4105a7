import { durationOrNone } from './parsers.ts'
import { setting } from './setting.ts'

/** Access keys and service accounts. */
export const programSettings = {
  keyConfirmation: setting({
    flag: 'key-confirmation',
    variable: 'MUSTER_KEY_CONFIRMATION',
    value: 'time',
    help: 'Access keys of users without a password stop working this long after the last login at an identity provider. 0: never.',
    parse: durationOrNone,
    fallback: '30d',
  }),
  serviceAccountUnused: setting({
    flag: 'service-account-unused',
    variable: 'MUSTER_SERVICE_ACCOUNT_UNUSED',
    value: 'time',
    help: 'A service account without a login for this time is shown as unused. 0: never.',
    parse: durationOrNone,
    fallback: '90d',
  }),
}
