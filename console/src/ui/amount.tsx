import { useMessages } from '../messages/use-messages.ts'

interface Props {
  readonly value: number | undefined
  readonly children: (value: number) => string
}

/** A size or a number. Sources report 0 for values that they do not know. */
export function Amount({ value = 0, children }: Props) {
  const { server: t } = useMessages()
  if (value > 0) return children(value)
  return (
    <span title={t.notKnownHint}>
      <span aria-hidden="true">–</span>
      <span className="visuallyHidden">{t.notKnown}</span>
    </span>
  )
}
