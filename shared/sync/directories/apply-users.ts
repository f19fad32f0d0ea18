import type { Transaction } from '../../commit/transaction.ts'
import { type ActorRow, actors, hasPortalAccess } from '../../domain/actors/actor.ts'
import { externalIdentities, identityOf } from '../../domain/external-identities/external-identity.ts'
import { isOtherSubject, stageIdentityChange } from '../../domain/external-identities/issued-tokens.ts'
import { findAllUnique, getRow, rowsBy } from '../../table/read.ts'
import { foldAscii } from '../../values/text.ts'
import { type StagedChange, type StageOutcome, stageEach } from '../runs/plan.ts'
import type { DirectoryStageContext } from './apply-identities.ts'
import { adminHasIdentity, adminNotMatched, type UserEntry } from './directory-plan.ts'
import { toSnapshotName } from './snapshot.ts'

/** Number of writes for a new actor and its identity, including index items, unique items and counters. */
export const writesPerUser = 17

type Found = Awaited<ReturnType<typeof findAll>>[number]

/**
 * Reads the identity and actor of each person. `actorsIdentity` is the actor's identity with the same issuer. If there is none, it is an
 * identity that this directory owns.
 */
async function findAll(stage: DirectoryStageContext, entries: UserEntry[]) {
  const { transaction, sourceId, issuer, matchesAdministrators } = stage
  const { accountId } = transaction
  const subjects = entries.map(({ idp_id }) => identityOf(idp_id, issuer))
  const emails = entries.map(({ profile }) => foldAscii(String(profile.email)))
  const [identities, people] = await Promise.all([
    findAllUnique(externalIdentities, accountId, 'external_identities.identity', subjects),
    findAllUnique(actors, accountId, 'actors.email', emails),
  ])
  return Promise.all(
    entries.map(async (_, i) => {
      const [identity = null, actor = null] = [identities[i], people[i]]
      const owner = identity && !matchesAdministrators ? await getRow(actors, accountId, identity.actor_id) : actor
      const isAdministrator = owner !== null && hasPortalAccess(owner)
      const actorsIdentities =
        identity || !actor ? [] : await rowsBy(externalIdentities, accountId, 'actor_id', actor.id)
      const actorsIdentity =
        actorsIdentities.find((row) => row.issuer === issuer) ??
        actorsIdentities.find((row) => row.directory_id === sourceId) ??
        null
      return { identity, actor, actorsIdentity, isAdministrator }
    }),
  )
}

/** Stages the changes for one person of the snapshot (I4.3). Changes made by others after planning take precedence. */
async function stageUser(
  { transaction, sourceId, issuer, startedAt, matchesAdministrators }: DirectoryStageContext,
  entry: UserEntry,
  found: Found,
): Promise<StageOutcome> {
  const { identity, actor, actorsIdentity, isAdministrator } = found
  const { idp_id, profile } = entry
  const skip = (reason: string) => ({ idp_id, name: profile.name, reason })
  // Skips an administrator whom the directory must not match, unless the directory already owns the identity.
  if (isAdministrator && !matchesAdministrators && identity?.directory_id !== sourceId) return skip(adminNotMatched)
  if (identity) {
    if (identity.directory_id !== null && identity.directory_id !== sourceId) return
    // Keeps profile fields that a sign-in has updated since the run began.
    const fresh = identity.updated_at > startedAt ? {} : profile
    const after = transaction.update(externalIdentities, identity, {
      ...fresh,
      directory_id: sourceId,
      // Permits portal access only if the identity's actor has the person's email.
      ...(matchesAdministrators && actor?.id === identity.actor_id && { opens_portal: true }),
    })
    return after === identity ? undefined : 'update'
  }
  // Skips the person if the identity or the actor was deleted after planning.
  if ((entry.over !== null && !actorsIdentity) || (entry.actor !== null && !actor)) return skip('changed_since')
  if (actorsIdentity) {
    if (actorsIdentity.id !== entry.over) return skip('changed_since')
    const subject = { idp_id, issuer }
    const isAdmin = actor !== null && hasPortalAccess(actor)
    if (isAdmin && isOtherSubject(actorsIdentity, subject)) return skip(adminHasIdentity)
    const changes = { ...subject, directory_id: sourceId, opens_portal: matchesAdministrators, ...profile }
    return (await stageIdentityChange(transaction, actorsIdentity, changes)) === 'more' ? 'more' : 'update'
  }
  const owner = actor ?? insertActor(transaction, sourceId, entry)
  transaction.insert(externalIdentities, {
    actor_id: owner.id,
    account_id: transaction.accountId,
    issuer,
    directory_id: sourceId,
    idp_id,
    opens_portal: matchesAdministrators,
    ...profile,
    synced_at: null,
  })
  return 'insert'
}

const insertActor = (transaction: Transaction, sourceId: string, { profile, idp_id }: UserEntry): ActorRow =>
  transaction.insert(actors, {
    name: toSnapshotName(profile.name) ?? profile.email ?? idp_id,
    email: profile.email,
    type: 'account_user',
    allow_email_otp_sign_in: false,
    portal_scopes: null,
    created_by_directory_id: sourceId,
    is_disabled: false,
  })

/** Inserts and updates identities (I4.5). A plan contains each person and each email once. */
export async function applyUsers(stage: DirectoryStageContext, entries: UserEntry[]): Promise<StagedChange> {
  const found = await findAll(stage, entries)
  return stageEach(stage.transaction, 'users', entries, writesPerUser, (entry, i) =>
    stageUser(stage, entry, found[i] as Found),
  )
}
