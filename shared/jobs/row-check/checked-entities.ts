import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { apiTokens } from '../../domain/api-tokens/api-token.ts'
import { authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import { directories } from '../../domain/directories/directory.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { gatewayTokens } from '../../domain/gateway-tokens/gateway-token.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { groups } from '../../domain/groups/group.ts'
import { mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { poolMembers } from '../../domain/pool-members/pool-member.ts'
import { portalSessions } from '../../domain/portal-sessions/portal-session.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import { resources } from '../../domain/resources/resource.ts'
import { sites } from '../../domain/sites/site.ts'
import type { Entity } from '../../table/entity.ts'
import { v0Configurations } from '../../v0/configuration/configuration.ts'
import { v0Devices } from '../../v0/devices/device.ts'
import { v0Rules } from '../../v0/rules/rule.ts'
import { v0Users } from '../../v0/users/user.ts'

const declared = [
  ...[
    accounts,
    actors,
    apiTokens,
    clientTokens,
    clients,
    externalIdentities,
    gatewayTokens,
    gateways,
    groups,
    mdmDevices,
  ],
  ...[memberships, policies, poolMembers, portalSessions, postureProviders, resources, sites],
  ...[...Object.values(authProviders), ...Object.values(directories)],
  ...[v0Configurations, v0Devices, v0Rules, v0Users],
] as unknown as Entity[]

/** Every kind of stored object by its collection. A law holds that none is missing. */
export const checkedEntities: ReadonlyMap<string, Entity> = new Map(declared.map((entity) => [entity.name, entity]))
