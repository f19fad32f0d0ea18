import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as getActor } from '#functions/api/actors/get-actor.ts'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { handler as createMdmPostureProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as deleteMdmPostureProvider } from '#functions/api/mdm-posture-providers/delete-mdm-posture-provider.ts'
import { handler as getMdmPostureProvider } from '#functions/api/mdm-posture-providers/get-mdm-posture-provider.ts'
import { handler as listMdmPostureProviders } from '#functions/api/mdm-posture-providers/list-mdm-posture-providers.ts'
import { handler as updateMdmPostureProvider } from '#functions/api/mdm-posture-providers/update-mdm-posture-provider.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as getPolicy } from '#functions/api/policies/get-policy.ts'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as createResource } from '#functions/api/resources/create-resource.ts'
import { handler as deleteResource } from '#functions/api/resources/delete-resource.ts'
import { handler as getResource } from '#functions/api/resources/get-resource.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { handler as getSite } from '#functions/api/sites/get-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { handler as updateSite } from '#functions/api/sites/update-site.ts'
import { collection } from './collection.ts'

export const actorsApi = collection('actor', {
  create: createActor,
  get: getActor,
  list: listActors,
  update: updateActor,
  remove: deleteActor,
})

export const groupsApi = collection('group', {
  create: createGroup,
  get: getGroup,
  list: listGroups,
  update: updateGroup,
  remove: deleteGroup,
})

export const policiesApi = collection('policy', {
  create: createPolicy,
  get: getPolicy,
  list: listPolicies,
  update: updatePolicy,
  remove: deletePolicy,
})

export const resourcesApi = collection('resource', {
  create: createResource,
  get: getResource,
  list: listResources,
  update: updateResource,
  remove: deleteResource,
})

export const sitesApi = collection('site', {
  create: createSite,
  get: getSite,
  list: listSites,
  update: updateSite,
  remove: deleteSite,
})

export const postureProvidersApi = collection('mdm_posture_provider', {
  create: createMdmPostureProvider,
  get: getMdmPostureProvider,
  list: listMdmPostureProviders,
  update: updateMdmPostureProvider,
  remove: deleteMdmPostureProvider,
})
