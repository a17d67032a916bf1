//! A server of nginx's.
use std::{fs, path::Path};

use super::{Check, LIBCRYPTO, Profile, RECORDS, Setting, openssl::SUITES, words};

pub static PROFILE: Profile = Profile {
    title: "a server, or all of http, in nginx.conf",
    library: LIBCRYPTO,
    algorithms: &["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"],
    lengths: RECORDS,
    has_masks: true,
    note: "",
    setting: Setting::Order(|order| {
        format!(
            "ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {};\n\
             ssl_ciphers {}:HIGH:!aNULL:!MD5;\n",
            words(order, SUITES, ":"),
            words(order, SELECTIONS, ":")
        )
    }),
    check: Some(&Check {
        name: "nginx",
        ask: |command, folder, _| {
            fs::write(folder.join("nginx.conf"), server(folder))?;
            command
                .args(["-t", "-e", "stderr", "-c", "nginx.conf", "-p"])
                .arg(folder);
            Ok(())
        },
        accepts: |_, _| true,
    }),
};

/// OpenSSL's words for the suites of TLS 1.2.
const SELECTIONS: &[(&str, &str)] = &[
    ("AES-128-GCM", "ECDHE+AESGCM+AES128"),
    ("AES-256-GCM", "ECDHE+AESGCM+AES256"),
    ("ChaCha20-Poly1305", "ECDHE+CHACHA20"),
];

/// A server with the snippet, and with nothing outside its folder.
fn server(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "pid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n  access_log off;\n\
         client_body_temp_path {folder}/body;\n  proxy_temp_path {folder}/proxy;\n  fastcgi_temp_path {folder}/fastcgi;\n\
         uwsgi_temp_path {folder}/uwsgi;\n  scgi_temp_path {folder}/scgi;\n  include {folder}/snippet;\n  \
         server {{ listen unix:{folder}/socket; }}\n}}\n"
    )
}
