import { isApiError } from '@muster/sdk'
import { api } from '../api/client.ts'
import { endSession } from '../api/end-session.ts'
import { notifyOtherTabs } from './other-tabs.ts'

export async function logOut(): Promise<void> {
  try {
    await api.logOut()
  } catch (error) {
    // A session that is over already is what was wanted.
    if (!isApiError(error, 'UnauthorizedError')) throw error
  }
  notifyOtherTabs('out')
  endSession('out')
}
