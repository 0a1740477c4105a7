import { accounts } from './accounts.ts'
import { actions } from './actions.ts'
import { activity } from './activity.ts'
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
import { past } from './past.ts'
import { problems } from './problems.ts'
import { scope } from './scope.ts'
import { server } from './server.ts'
import { servers } from './servers.ts'
import { session } from './session.ts'
import { tasks } from './tasks.ts'
import { values } from './values.ts'

/** The English messages. Their type is the shape of every other language. Those of `later.ts` are added later. */
export const en = {
  accounts,
  actions,
  activity,
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

export type Messages = typeof en
