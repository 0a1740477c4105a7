import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { checks } from './checks.ts'
import { changes } from './changes.ts'
import { common } from './common.ts'
import { connection } from './connection.ts'
import { errors } from './errors.ts'
import { frame } from './frame.ts'
import { infrastructure } from './infrastructure.ts'
import { me } from './me.ts'
import { overview } from './overview.ts'
import { locations } from './locations.ts'
import type { LaterMessages } from './later.ts'
import { past } from './past.ts'
import { problems } from './problems.ts'
import { scope } from './scope.ts'
import { server } from './server.ts'
import { servers } from './servers.ts'
import { session } from './session.ts'
import { tasks } from './tasks.ts'
import { values } from './values.ts'

const first = {
  accounts,
  actions,
  checks,
  changes,
  common,
  connection,
  errors,
  frame,
  infrastructure,
  me,
  overview,
  locations,
  past,
  problems,
  scope,
  server,
  servers,
  session,
  tasks,
  values,
}

/** The shape of every language. */
export type Messages = typeof first & LaterMessages

/** The English messages. Those of `later.ts` are added with the pages that show them. */
export const en = first as Messages
