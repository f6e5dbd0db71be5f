const named = (name: string, ...aaguids: string[]) => aaguids.map((aaguid) => [aaguid, name] as const)

/** What keeps passkeys, by its AAGUID (WebAuthn Level 3 §6.5.1), as it names itself. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ...named('Google Password Manager', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'),
  ...named('Apple Passwords', 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'dd4ec289-e01d-41c9-bb89-70fa845d4bf2'),
  ...named(
    'Windows Hello',
    '08987058-cadc-4b81-b6e1-30de50dcbe96',
    '9ddd1817-af5a-4672-a2b9-3e3dd95000a9',
    '6028b017-b1d4-4c02-b4b3-afcdafc96bb2',
  ),
  ...named('Microsoft Password Manager', 'd3452668-01fd-4c12-926c-83a4204853aa'),
  ...named('Chrome on Mac', 'adce0002-35bc-c60a-648b-0b25f1f05503'),
  ...named('Edge on Mac', '771b48fd-d3d4-4f74-9232-fc157ab0507a'),
  ...named('Samsung Pass', '53414d53-554e-4700-0000-000000000000'),
  ...named('1Password', 'bada5566-a7aa-401f-bd96-45619a55120d'),
  ...named('Bitwarden', 'd548826e-79b4-db40-a3d8-11116f7e8349'),
  ...named('Dashlane', '531126d6-e717-415c-9320-3d9aa6981239'),
  ...named('Enpass', 'f3809540-7f14-49c1-a8b3-8f813b225541'),
  ...named('Keeper', '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6'),
  ...named('KeePassDX', 'eaecdef2-1c31-5634-8639-f1cbd9c00a08'),
  ...named('KeePassXC', 'fdb141b2-5d84-443e-8a35-4698c205a502'),
  ...named('NordPass', 'b84e4048-15dc-4dd0-8640-f4f60813c8af'),
  ...named('Proton Pass', '50726f74-6f6e-5061-7373-50726f746f6e'),
  ...named(
    'YubiKey',
    'cb69481e-8ff7-4039-93ec-0a2729a154a8',
    'ee882879-721c-4913-9775-3dfcce97072a',
    'fa2b99dc-9e39-4257-8f92-4a30d23c4118',
    '2fc0579f-8113-47ea-b116-bb5a8db9202a',
    'c5ef55ff-ad9a-4b9f-b580-adebafe026d0',
    'd8522d9f-575b-4866-88a9-ba99fa02f35b',
    'a25342c0-3cdc-4414-8e46-f4807fca511c',
    'd7781e5d-e353-46aa-afe2-3ca49f13332a',
    '19083c3d-8383-4b18-bc03-8f1c9ab2fd1b',
    '73bb0cd4-e502-49b8-9c6f-b59445bf720b',
    'c1f9a0bc-1dd2-404a-b27f-8e29047a43fd',
  ),
])

/**
 * What keeps a passkey, as people know it; undefined if it does not say, or is not known here. It is a hint, not a
 * proof.
 */
export function providerName(aaguid: string): string | undefined {
  return PROVIDERS.get(aaguid)
}
