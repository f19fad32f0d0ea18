import { useRead } from '../client/queries.ts'
import { entryAddress, timeOf } from '../logs/entries.ts'
import { ActionLink } from '../parts/controls.tsx'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { texts } from '../texts/texts.ts'

/** Page of an entry that the service does not have. Reports an entry that was sealed, because it was deleted or is past its retention. */
export function LostEntry({ logId }: { logId: string }) {
  const proof = useRead('GET /logs/{log_id}/proof', { path: { log_id: logId } })
  const isSealed = proof.data !== undefined
  return (
    <Empty
      title={isSealed ? texts.proof.lost : texts.states.notFound}
      action={<ActionLink to={entryAddress(logId).replace(/\/[^/]+$/, '')}>{texts.logs.openLog}</ActionLink>}
    >
      {isSealed ? texts.proof.lostHint : texts.states.notFoundHint} <Time value={timeOf(logId)} exact />
    </Empty>
  )
}
