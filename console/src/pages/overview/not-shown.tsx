import card from '../../charts/chart-card.module.css'

interface Props {
  readonly title: string
  readonly text: string
  readonly className?: string | undefined
}

/** In the place of a chart that the caller has no right to: it says why. */
export function NotShown({ title, text, className }: Props) {
  return (
    <section className={[card.card, className].filter(Boolean).join(' ')}>
      <div className={card.head}>
        <h2>{title}</h2>
      </div>
      <p className={card.words}>{text}</p>
    </section>
  )
}
