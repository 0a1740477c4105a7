import type { AllMessages } from '../en/later.ts'
import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { activity } from './activity.ts'
import { checks } from './checks.ts'
import { changes } from './changes.ts'
import { common } from './common.ts'
import { connection } from './connection.ts'
import { errors } from './errors.ts'
import { factors } from './factors.ts'
import { frame } from './frame.ts'
import { identity } from './identity.ts'
import { infrastructure } from './infrastructure.ts'
import { keyRestriction } from './key-restriction.ts'
import { linkedLogins } from './linked-logins.ts'
import { me } from './me.ts'
import { overview } from './overview.ts'
import { locations } from './locations.ts'
import { past } from './past.ts'
import { problems } from './problems.ts'
import { providers } from './providers.ts'
import { scope } from './scope.ts'
import { server } from './server.ts'
import { servers } from './servers.ts'
import { session } from './session.ts'
import { tasks } from './tasks.ts'
import { values } from './values.ts'

/** 简体中文：the shape is that of English, checked by the compiler. */
export const zhCN: AllMessages = {
  accounts,
  actions,
  activity,
  checks,
  changes,
  common,
  connection,
  errors,
  factors,
  frame,
  identity,
  infrastructure,
  keyRestriction,
  linkedLogins,
  me,
  overview,
  locations,
  past,
  problems,
  providers,
  scope,
  server,
  servers,
  session,
  tasks,
  values,
}
