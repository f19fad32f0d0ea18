import type { FakeAnswer, FakeRequest } from './fake-server.ts'
import { always, on } from './faults.ts'
import { type GraphApp, type GraphFake, graphApp, graphPage, graphServer, refuse } from './graph-server.ts'

export type ManagedDevice = { id: string } & Record<string, unknown>
export type ManagedDevicesData = GraphApp & { devices: ManagedDevice[] }
export type ManagedDevicesFake = GraphFake<ManagedDevicesData>

const whole = (id: string) => ({
  id,
  userId: 'user-1',
  deviceName: `DESKTOP-${id.slice(0, 4)}`,
  managedDeviceOwnerType: 'company',
  deviceActionResults: [
    {
      actionName: 'rebootNow',
      actionState: 'done',
      startDateTime: '2026-01-01T00:00:00Z',
      lastUpdatedDateTime: '2026-01-01T00:01:00Z',
    },
  ],
  enrolledDateTime: '2026-01-01T00:00:00Z',
  lastSyncDateTime: '2026-02-01T10:20:30.1234567Z',
  operatingSystem: 'Windows',
  complianceState: 'compliant',
  jailBroken: 'Unknown',
  managementAgent: 'mdm',
  osVersion: '10.0.26100.1',
  easActivated: true,
  easDeviceId: 'EAS1',
  easActivationDateTime: '0001-01-01T00:00:00Z',
  azureADRegistered: true,
  deviceEnrollmentType: 'windowsAzureADJoin',
  activationLockBypassCode: 'never-to-be-read',
  emailAddress: 'person@example.com',
  azureADDeviceId: 'aad-1',
  deviceRegistrationState: 'registered',
  deviceCategoryDisplayName: 'Laptops',
  isSupervised: false,
  exchangeLastSuccessfulSyncDateTime: '0001-01-01T00:00:00Z',
  exchangeAccessState: 'none',
  exchangeAccessStateReason: 'none',
  remoteAssistanceSessionUrl: null,
  remoteAssistanceSessionErrorDetails: null,
  isEncrypted: true,
  userPrincipalName: 'person@example.com',
  model: 'Model 1',
  manufacturer: 'Maker',
  imei: null,
  complianceGracePeriodExpirationDateTime: '9999-12-31T23:59:59Z',
  serialNumber: 'SN1',
  phoneNumber: null,
  androidSecurityPatchLevel: null,
  userDisplayName: 'Person',
  configurationManagerClientEnabledFeatures: {
    inventory: true,
    modernApps: false,
    resourceAccess: true,
    deviceConfiguration: false,
    compliancePolicy: true,
    windowsUpdateForBusiness: false,
  },
  wiFiMacAddress: '00AA00AA00AA',
  deviceHealthAttestationState: {
    lastUpdateDateTime: '2026-01-01',
    issuedDateTime: '2026-01-01T00:00:00Z',
    resetCount: 3,
    restartCount: 4,
    secureBoot: 'Enabled',
    bitLockerStatus: 'On',
    pcr0: 'AB',
    deviceHealthAttestationStatus: 'healthy',
  },
  subscriberCarrier: null,
  meid: null,
  totalStorageSpaceInBytes: 512_000_000_000,
  freeStorageSpaceInBytes: 256_000_000_000,
  managedDeviceName: 'person_Windows_1',
  partnerReportedThreatState: 'secured',
  requireUserEnrollmentApproval: null,
  managementCertificateExpirationDate: '2027-01-01T00:00:00Z',
  iccid: null,
  udid: null,
  notes: null,
  ethernetMacAddress: null,
  physicalMemoryInBytes: 0,
  enrollmentProfileName: '',
  managementState: 'managed',
})
export type WholeDevice = ReturnType<typeof whole>

/** Returns a device with all fields that the provider returns, some of which are null. */
export const managedDevice = (id: string, fields: Record<string, unknown> = {}): ManagedDevice => ({
  ...whole(id),
  ...fields,
})

const list = '/v1.0/deviceManagement/managedDevices'

/** Response if the app lacks a permission: status 401, with a message string that contains JSON. */
const noRight = {
  status: 401,
  json: {
    error: {
      code: 'UnknownError',
      message: '{"ErrorCode":"Forbidden","Message":"{\\"_version\\": 3,\\"Message\\": \\"An error has occurred\\"}"}',
    },
  },
}

function route(fake: ManagedDevicesFake, request: FakeRequest): FakeAnswer {
  if (request.path !== list) throw refuse(400, 'BadRequest', `Resource not found for the segment '${request.path}'.`)
  if (!fake.data.rights.includes('DeviceManagementManagedDevices.Read.All')) return noRight
  return graphPage(fake, request, fake.data.devices)
}

/** Starts a fake of a tenant's device management. Its token endpoint and API format are those of the tenant's directory. */
export const managedDevicesFake = (
  data: Partial<ManagedDevicesData> = {},
  port?: number,
): Promise<ManagedDevicesFake> => graphServer<ManagedDevicesData>({ ...graphApp, devices: [], ...data }, route, port)

export const managedDevicesFaults = { noRight: on(/^\/v1\.0\/deviceManagement\//, always(noRight)) }
