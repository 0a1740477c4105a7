import { useQuery } from '@tanstack/react-query'
import { driversQuery } from '../../api/queries/identity-provider-drivers.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { localizeDriver } from './localize-driver.ts'

/** The kinds of identity providers, in the language of the user. */
export function useDrivers() {
  const { providers: t } = useAllMessages()
  const query = useQuery(driversQuery)
  return { query, drivers: query.data?.map((driver) => localizeDriver(driver, t.drivers)) ?? [] }
}
