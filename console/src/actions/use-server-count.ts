import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'

/** On how many servers a batch acts, and of how many: `126 of 129 servers`. */
export function useServerCount(): (total: number, refused: number) => string {
  const { common: t } = useMessages()
  const { number } = useFormat()
  return (total, refused) =>
    refused === 0
      ? t.servers(total, number(total))
      : t.someServers(number(total - refused), number(total))
}
