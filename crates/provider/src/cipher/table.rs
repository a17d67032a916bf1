//! Every algorithm that is offered: under all the names that the default provider has for it, and with the fingerprint of
//! what its self-test must give.

use ciphertune::{Cbc, Cfb, Cfb8, Ecb, Ofb};

use super::{
    Cipher, algorithm, block::Block, ccm::CcmCipher, ctr::CtrCipher, feedback::FeedbackCipher,
    gcm::GcmCipher, ocb::OcbCipher, xts::XtsCipher,
};
use crate::{
    abi::Algorithm,
    self_test::{Known, test},
};

macro_rules! algorithms {
    ($($mode:ty, $key:literal, $names:literal, $fingerprint:literal;)*) => {
        pub(crate) static ALGORITHMS: &[Algorithm] = &[
            $(algorithm::<$mode, $key>($names),)*
            Algorithm::END,
        ];

        /// What the self-test knows of each.
        pub(crate) static KNOWN: &[Known] = &[$(Known {
            names: $names,
            is_aead: <$mode>::AEAD,
            lengths: <$mode>::TESTED,
            busy_after: <$mode>::BUSY_AFTER,
            test: test::<$mode, $key>,
            fingerprint: $fingerprint,
        },)*];
    };
}

algorithms! {
    Block<Ecb>, 16, c"AES-128-ECB:2.16.840.1.101.3.4.1.1", 0x7b47_8ced_6fb9_936f;
    Block<Ecb>, 24, c"AES-192-ECB:2.16.840.1.101.3.4.1.21", 0xa8cc_7359_3ff1_b14a;
    Block<Ecb>, 32, c"AES-256-ECB:2.16.840.1.101.3.4.1.41", 0x589f_c159_8dd1_2c47;
    Block<Cbc>, 16, c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", 0xd375_8ec7_31c2_f91b;
    Block<Cbc>, 24, c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", 0x8709_bd8a_10fb_a6dc;
    Block<Cbc>, 32, c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", 0xd047_515b_ec67_f352;
    FeedbackCipher<Cfb>, 16, c"AES-128-CFB:2.16.840.1.101.3.4.1.4", 0x8478_a352_88d3_00da;
    FeedbackCipher<Cfb>, 24, c"AES-192-CFB:2.16.840.1.101.3.4.1.24", 0xb872_fe88_0959_5f3c;
    FeedbackCipher<Cfb>, 32, c"AES-256-CFB:2.16.840.1.101.3.4.1.44", 0x9f8d_5e86_8e0f_5938;
    FeedbackCipher<Cfb8>, 16, c"AES-128-CFB8", 0xb665_ba5b_a5d2_4451;
    FeedbackCipher<Cfb8>, 24, c"AES-192-CFB8", 0x8a68_0071_d836_c097;
    FeedbackCipher<Cfb8>, 32, c"AES-256-CFB8", 0xf285_1d58_f95f_a676;
    FeedbackCipher<Ofb>, 16, c"AES-128-OFB:2.16.840.1.101.3.4.1.3", 0xf83d_e8c8_8bbe_86e5;
    FeedbackCipher<Ofb>, 24, c"AES-192-OFB:2.16.840.1.101.3.4.1.23", 0xb009_6a1f_1a77_c560;
    FeedbackCipher<Ofb>, 32, c"AES-256-OFB:2.16.840.1.101.3.4.1.43", 0xe5e8_f009_d84e_2d17;
    CtrCipher, 16, c"AES-128-CTR", 0x22b8_611b_1e11_5b15;
    CtrCipher, 24, c"AES-192-CTR", 0x4e96_a4fa_1138_0c0b;
    CtrCipher, 32, c"AES-256-CTR", 0x2cdb_a2d6_5ca8_2487;
    XtsCipher, 32, c"AES-128-XTS:1.3.111.2.1619.0.1.1", 0x9dac_4b99_61ca_446f;
    XtsCipher, 64, c"AES-256-XTS:1.3.111.2.1619.0.1.2", 0x49fb_6b1e_4c4e_647e;
    GcmCipher, 16, c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", 0x2aff_b627_6fb3_c51c;
    GcmCipher, 24, c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", 0x126b_fd4c_355e_dded;
    GcmCipher, 32, c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", 0xd18c_fed2_2fce_dc8b;
    CcmCipher, 16, c"AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7", 0xadf1_8bca_deb2_3d41;
    CcmCipher, 24, c"AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27", 0x1748_3631_1706_f0b0;
    CcmCipher, 32, c"AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47", 0xb3b5_7e0a_43e7_5e9a;
    OcbCipher, 16, c"AES-128-OCB", 0xf2dd_4896_2cfc_14e2;
    OcbCipher, 24, c"AES-192-OCB", 0x23e9_99b0_4574_2074;
    OcbCipher, 32, c"AES-256-OCB", 0x029a_59f5_9055_befe;
}
