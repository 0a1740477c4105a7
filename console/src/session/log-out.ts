import { isApiError } from '@muster/sdk'
import { api } from '../api/client.ts'
import { endSession } from '../api/end-session.ts'
import { notifyOtherTabs } from './other-tabs.ts'

export async function logOut(): Promise<void> {
  let page: string | undefined
  try {
    page = (await api.endSession())?.logout_page
  } catch (error) {
    // The session has ended already.
    if (!isApiError(error, 'UnauthorizedError')) throw error
  }
  notifyOtherTabs('out')
  if (page === undefined) endSession('out')
  else location.assign(page)
}
