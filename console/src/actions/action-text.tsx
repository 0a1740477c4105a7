import { useMessages } from '../messages/use-messages.ts'
import type { ActionName } from './server-action.ts'
import { useBinSpan } from './use-bin-span.ts'

/** What an action does. */
export function ActionText({ name }: { readonly name: ActionName }) {
  const { actions: t } = useMessages()
  const span = useBinSpan()
  if (name !== 'delete') return <p>{t.texts[name]}</p>
  return <p>{span === null ? t.texts['delete-now'] : t.toBin(span)}</p>
}
