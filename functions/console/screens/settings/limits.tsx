import type { Operations } from '../../client/api-types.ts'
import { labelOf, texts } from '../../texts/texts.ts'

export type Limits = Operations['GET /account']['answer']['data']['limits']

/** Share of a limit from which it is a problem. */
export const nearLimit = 0.9

/** Limits of the account, each with the used part. */
export const LimitMeters = ({ limits }: { limits: Limits }) => (
  <dl className="facts">
    {Object.entries(limits).map(([name, { used, total }]) => (
      <div key={name}>
        <dt>{labelOf(name)}</dt>
        <dd>
          {texts.settings.used(used, total)}
          <meter min={0} max={total} high={total * nearLimit} value={used} aria-label={labelOf(name)} />
        </dd>
      </div>
    ))}
  </dl>
)
