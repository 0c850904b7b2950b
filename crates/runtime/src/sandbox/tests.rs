//! Tests with programs that try to escape the sandbox, using the isolation that this machine supports.

use std::net::TcpListener;

use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

use super::*;

/// Script program in its own folder, next to a secret file.
struct Boxed {
    place: TempDir,
    program: SandboxedCommand,
}

const SECRET: &str = "the key of the hub";

fn boxed(script: &str) -> Boxed {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("own");
    fs::create_dir(&folder).unwrap();
    set_mode(place.path(), 0o700);
    set_mode(&folder, 0o700);
    fs::write(place.path().join("secret.key"), SECRET).unwrap();
    let args = vec!["-c".to_owned(), script.to_owned()];
    let program = SandboxedCommand {
        name: "test".to_owned(),
        command: "bash".to_owned(),
        args,
        working_dir: folder,
        ..probe()
    };
    Boxed { place, program }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

/// Runs the program. Returns its stdout, its stderr and how it ended.
async fn run(sandbox: &Sandbox, program: &SandboxedCommand) -> (String, String, String) {
    let mut started = sandbox.launch(program).unwrap().start().unwrap();
    let mut said = String::new();
    started.stdout.read_to_string(&mut said).await.unwrap();
    let ending = started.process.ending().await;
    (said, started.process.complaints(), ending)
}

fn walls() -> Sandbox {
    let sandbox = Sandbox::find(false);
    assert!(
        matches!(sandbox.0, SandboxKind::Walls { .. }),
        "these tests need bubblewrap: {:?}",
        sandbox.describe()
    );
    sandbox
}

#[tokio::test]
async fn a_program_has_its_own_folder_and_environment_and_sees_no_other() {
    let outside = std::process::id();
    let test = boxed(&format!(
        "echo mine > kept; pwd; env | sort; ls /; ls /etc; cat /proc/*/cmdline | tr '\\0' ' ' | grep -c 'plexus[_]runtime'; \
         ls -d /proc/{outside} 2>/dev/null; hostname"
    ));
    let secret = test.place.path().join("secret.key");
    let mut program = test.program.clone();
    program.env.insert("KEY".to_owned(), "value".to_owned());
    let (said, complaints, ending) = run(&walls(), &program).await;
    assert_eq!(fs::read_to_string(program.working_dir.join("kept")).unwrap(), "mine\n", "{complaints}");
    assert_eq!(ending, "ended with exit code 0");
    assert!(said.starts_with("/work\nHOME=/work\nKEY=value\nLANG=C.UTF-8\n"), "{said}");
    for hidden in ["\nroot\n", "\nhome\n", "\nvar\n", "shadow", "CARGO", "PLEXUS"] {
        assert!(!said.contains(hidden), "{hidden:?} is seen:\n{said}");
    }
    assert!(said.ends_with("\n0\nprogram\n"), "{said}");

    program.args[1] =
        format!("cat {} /proc/{outside}/environ /etc/shadow; touch /x /usr/x", secret.display());
    let (said, complaints, ending) = run(&walls(), &program).await;
    assert_eq!((said.as_str(), ending.as_str()), ("", "ended with exit code 1"));
    assert!(!complaints.contains(SECRET), "{complaints}");
    program.read_only = vec![secret.clone()];
    program.args[1] = format!("cat {0}; echo x > {0}", secret.display());
    set_mode(&secret, 0o644);
    assert_eq!(run(&walls(), &program).await.0, SECRET, "what the operator shows is seen");
    assert_eq!(fs::read_to_string(secret).unwrap(), SECRET, "and not written");
}

#[tokio::test]
async fn a_program_has_a_network_only_where_it_is_given_one() {
    let hub = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = hub.local_addr().unwrap().port();
    let test = boxed(&format!("(echo > /dev/tcp/127.0.0.1/{port}) && echo reached"));
    assert_eq!(run(&walls(), &test.program).await.0, "");
    let program = SandboxedCommand { network: true, ..test.program.clone() };
    assert_eq!(run(&walls(), &program).await.0, "reached\n");
}

#[tokio::test]
async fn a_program_cannot_take_more_than_its_limits() {
    let limits = Limits {
        processes: 24,
        open_files: 32,
        file_bytes: 1 << 20,
        memory_bytes: 100 << 20,
        ..Limits::default()
    };
    let limited = |script: &str| {
        let mut test = boxed(script);
        test.program.limits = limits;
        test
    };
    let forks =
        limited("sh -c 'n=0; while [ $n -lt 60 ]; do sleep 20 >/dev/null 2>&1 & n=$((n+1)); echo $n; done'");
    let (said, complaints, _) = run(&walls(), &forks.program).await;
    let forked = said.lines().count();
    assert!((5..24).contains(&forked), "{said}");
    assert!(complaints.contains("fork"), "{complaints}");

    let files = limited(
        "ulimit -n; head -c 3000000 /dev/zero > big; head -c 3000000 /dev/zero > /tmp/big; wc -c big /tmp/big",
    );
    let (said, ..) = run(&walls(), &files.program).await;
    let sizes: Vec<&str> = said.split_whitespace().collect();
    assert_eq!(sizes[..6], ["32", "1048576", "big", "1048576", "/tmp/big", "2097152"], "{said}");

    let greedy = limited("head -c 300000000 /dev/zero | tail | wc -c");
    assert!(run(&walls(), &greedy.program).await.1.contains("memory exhausted"), "one process");
    let many = limited(
        "for n in 1 2 3 4 5 6; do (head -c 40000000 /dev/zero | tail -c 40000000 | sleep 100) & done; wait",
    );
    let (.., ending) = run(&walls(), &many.program).await;
    assert_eq!(ending, "was ended, since it took more than 100 MiB of memory,", "all together");

    let nested = limited("unshare --user true || echo none");
    assert_eq!(run(&walls(), &nested.program).await.0, "none\n", "no namespace in which it is root");
}

/// Returns the disk usage of a folder in bytes.
fn disk_bytes(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().blocks() * 512).sum()
}

#[tokio::test]
async fn a_program_that_fills_its_folder_is_ended_and_not_started_again() {
    let total = Total { bytes: 8 << 20, files: 200 };
    let filling = |script: &str| {
        let mut test = boxed(script);
        test.program.limits.total = total;
        test
    };
    let bytes = filling("n=0; while :; do n=$((n+1)); head -c 100000 /dev/zero > f$n; sleep 0.005; done");
    let (.., ending) = run(&walls(), &bytes.program).await;
    assert_eq!(ending, "was ended, since its folder holds more than 8 MiB,");
    let held = disk_bytes(&bytes.program.working_dir);
    assert!((8 << 20..64 << 20).contains(&held), "{held}");
    let refused = walls().launch(&bytes.program).unwrap_err();
    assert!(
        refused.message.starts_with("The folder of the program test holds more than 8 MiB."),
        "{refused}"
    );

    let files = filling("n=0; while :; do n=$((n+1)); : > f$n; sleep 0.001; done");
    let (.., ending) = run(&walls(), &files.program).await;
    assert_eq!(ending, "was ended, since its folder holds more than 200 files,");

    let nameless =
        filling("exec 7> gone; rm gone; while :; do head -c 100000 /dev/zero >&7; sleep 0.005; done");
    let (.., ending) = run(&walls(), &nameless.program).await;
    assert_eq!(ending, "was ended, since its folder holds more than 8 MiB,", "files without a name count");
}

#[tokio::test]
async fn a_program_may_not_make_system_calls_that_it_does_not_need() {
    let test = boxed(
        "grep '^Seccomp:' /proc/self/status; unshare --user true; unshare --net true; mount -t tmpfs none /tmp; \
         (sleep 0.01 & wait) && echo threads",
    );
    let (said, complaints, _) = run(&walls(), &test.program).await;
    assert_eq!(said, "Seccomp:\t2\nthreads\n", "{complaints}");
    assert_eq!(complaints.matches("unshare failed: Operation not permitted").count(), 2, "{complaints}");
    assert!(complaints.contains("mount: "), "{complaints}");
}

#[tokio::test]
async fn the_last_that_a_program_complains_of_is_there_once_it_has_ended() {
    let bare = Sandbox(SandboxKind::Nothing { why: "there are none".to_owned() });
    let test = boxed("head -c 60000 /dev/zero | tr '\\0' x >&2; exec >&-; echo the end >&2");
    let (_, complaints, ending) = run(&bare, &test.program).await;
    assert_eq!(ending, "ended with exit code 0");
    assert!(complaints.ends_with("xthe end"), "{complaints}");
}

#[tokio::test]
async fn without_walls_a_program_is_refused_or_runs_as_somebody_else_or_as_it_is() {
    let why = "there are none".to_owned();
    let test = boxed("cat ../secret.key; id -u; pwd");
    let refused = Sandbox(SandboxKind::Impossible { why: why.clone() }).launch(&test.program).unwrap_err();
    assert_eq!(refused.class, FailureClass::Policy);
    assert!(refused.message.contains("there are none. Install bubblewrap"), "{refused}");

    let bare = Sandbox(SandboxKind::Nothing { why: why.clone() });
    assert!(bare.describe().unwrap().starts_with("NOTHING"));
    assert!(run(&bare, &test.program).await.0.starts_with(SECRET));

    let other = Sandbox(SandboxKind::OtherUser { why });
    let words = other.launch(&test.program).unwrap_err().message;
    assert!(words.contains("without network access"), "{words}");
    let program = SandboxedCommand { network: true, ..test.program.clone() };
    let words = other.launch(&program).unwrap_err().message;
    assert!(words.contains("The user of the program cannot access"), "a temporary folder is: {words}");
    if geteuid().is_root() {
        set_mode(test.place.path(), 0o755);
        set_mode(&test.place.path().join("secret.key"), 0o600);
        let (said, complaints, _) = run(&other, &program).await;
        assert_eq!(said, format!("{}\n{}\n", user_of("test"), program.working_dir.display()));
        assert!(complaints.contains("secret.key: Permission denied"), "{complaints}");
    }
}
