import type { Transaction } from '../../../commit/transaction.ts'
import { type ActorRow, actors } from '../../../domain/actors/actor.ts'
import { isOtherSubject, stageIdentityChange } from '../../../domain/external-identities/change-external-identity.ts'
import {
  type ExternalIdentityRow,
  externalIdentities,
  identityOf,
} from '../../../domain/external-identities/external-identity.ts'
import { findAllUnique, getRow, rowsBy } from '../../../table/read.ts'
import { foldAscii } from '../../../values/fold-ascii.ts'
import { nothingStaged, type Staged, stagedSkip } from '../../plans/staged.ts'
import { adminHasIdentity, adminNotMatched, type UserEntry } from '../plan/directory-plan.ts'
import { nameOf } from '../read/profile.ts'
import type { DirectoryStage } from './apply-identities.ts'

/** A new actor and its identity, with their edges, guards and counters. */
export const writesPerUser = 17

/** What the account has of a person at the moment of the commit. */
type Found = {
  identity: ExternalIdentityRow | null
  actor: ActorRow | null
  /** Of the actor: one of the same issuer, or of this directory. */
  actorsIdentity: ExternalIdentityRow | null
  /** True where the person has or gets the identity of an administrator. */
  isAdministrators: boolean
}

async function findAll(stage: DirectoryStage, entries: UserEntry[]): Promise<Found[]> {
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
      const isAdministrators = owner?.type === 'account_admin_user'
      if (identity || !actor) return { identity, actor, actorsIdentity: null, isAdministrators }
      const own = await rowsBy(externalIdentities, accountId, 'actor_id', actor.id)
      const actorsIdentity =
        own.find((row) => row.issuer === issuer) ?? own.find((row) => row.directory_id === sourceId) ?? null
      return { identity, actor, actorsIdentity, isAdministrators }
    }),
  )
}

type Change = 'insert' | 'update' | 'changed_since' | typeof adminHasIdentity | typeof adminNotMatched | 'more' | null

/** Stages what a person of the snapshot changes (I4.3): rows are as they are now, and what was changed meanwhile wins. */
async function stageUser(
  { transaction, sourceId, issuer, startedAt, matchesAdministrators }: DirectoryStage,
  entry: UserEntry,
  found: Found,
): Promise<Change> {
  const { identity, actor, actorsIdentity, isAdministrators } = found
  const { idp_id, profile } = entry
  // A directory keeps its own identity of a person who became an administrator later.
  if (isAdministrators && !matchesAdministrators && identity?.directory_id !== sourceId) return adminNotMatched
  if (identity) {
    if (identity.directory_id !== null && identity.directory_id !== sourceId) return null
    // A sign-in since then has told fresher fields.
    const fresh = identity.updated_at > startedAt ? {} : profile
    const after = transaction.update(externalIdentities, identity, {
      ...fresh,
      directory_id: sourceId,
      // A link of another origin is vouched for by its email alone.
      ...(matchesAdministrators && actor?.id === identity.actor_id && { opens_portal: true }),
    })
    return after === identity ? null : 'update'
  }
  // An identity or an actor that the plan was made with has been taken away since.
  const isGone = (entry.over !== null && !actorsIdentity) || (entry.known !== null && !actor)
  if (isGone) return 'changed_since'
  if (actorsIdentity) {
    if (actorsIdentity.id !== entry.over) return 'changed_since'
    const subject = { idp_id, issuer }
    const isAdmin = actor?.type === 'account_admin_user'
    if (isAdmin && isOtherSubject(actorsIdentity, subject)) return adminHasIdentity
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
    name: nameOf(profile.name) ?? profile.email ?? idp_id,
    email: profile.email,
    type: 'account_user',
    allow_email_otp_sign_in: false,
    created_by_directory_id: sourceId,
    is_disabled: false,
  })

/** Identities that are new, made again or changed (I4.5). A plan names each person and each email once. */
export async function applyUsers(stage: DirectoryStage, entries: UserEntry[]): Promise<Staged> {
  const staged = nothingStaged()
  const found = await findAll(stage, entries)
  for (const [i, entry] of entries.entries()) {
    if (!stage.transaction.hasRoom(writesPerUser)) break
    const change = await stageUser(stage, entry, found[i] as Found)
    if (change === 'more') break
    if (change === 'changed_since' || change === adminHasIdentity || change === adminNotMatched)
      stagedSkip(staged, entry.idp_id, entry.profile.name, change)
    else if (change) staged.changes.push({ object: 'users', change })
    staged.handled++
  }
  return staged
}
